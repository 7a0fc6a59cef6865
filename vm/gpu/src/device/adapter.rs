//! Selection of the adapter: the best one, or one by name.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::stderr;

/// Returns the result of a future that never waits.
pub(super) fn answer<T>(future: impl Future<Output = T>) -> Result<T, String> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Ok(answer),
        Poll::Pending => Err("the driver did not answer".to_owned()),
    }
}

/// Returns all adapters.
fn available() -> Result<Vec<wgpu::Adapter>, String> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(descriptor);
    answer(instance.enumerate_adapters(wgpu::Backends::PRIMARY))
}

/// Returns the best available adapter, or the one with this name; `number` selects one of several.
pub(super) fn adapter(wanted: Option<&str>, number: usize) -> Result<wgpu::Adapter, String> {
    let found = stderr::filtered(available)?;
    if found.is_empty() {
        return Err("no adapter: there is no driver for Vulkan, Metal or Direct3D 12".to_owned());
    }
    let names: Vec<String> = found.iter().map(|adapter| adapter.get_info().name).collect();
    let suits = |adapter: &wgpu::Adapter| match wanted {
        None => true,
        Some(part) => adapter.get_info().name.to_lowercase().contains(&part.to_lowercase()),
    };
    let mut suitable: Vec<wgpu::Adapter> = found.into_iter().filter(suits).collect();
    let order = |adapter: &wgpu::Adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Cpu => 3,
        wgpu::DeviceType::Other => 4,
    };
    let best = suitable.iter().map(order).min();
    suitable.retain(|adapter| Some(order(adapter)) == best);
    let none = || {
        let part = wanted.unwrap_or_default();
        format!("no adapter name contains `{part}`; available adapters: {}", names.join(", "))
    };
    let idx = number % suitable.len().max(1);
    suitable.into_iter().nth(idx).ok_or_else(none)
}
