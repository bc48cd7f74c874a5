<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * The reason for an uninterruptible wait (state D). It is often not a disk.
 *
 * @internal
 */
enum UninterruptibleWait: string
{
    // Kernel functions of versions 4 to 6: blocks and pages, journals, throttled writers,
    // network file systems.
    case Disk =
    '/\A(io_schedule|bit_wait_io|(__)?folio_(wait|lock)|(__)?wait_on_(page|buffer)|(__)?lock_page|'
    .'filemap_(fdatawait|update_page|read)|submit_bio_wait|blk(dev)?_|rq_qos_wait|wbt_wait|balance_dirty_pages|'
    .'jbd2_|add_transaction_credits|wait_transaction_locked|fsync_buffers_list|__sync_dirty_buffer|'
    .'generic_buffers_fsync|do_fsync|\w*_sync_file|(__)?writeback_|start_this_handle|do_get_write_access|'
    .'xfs_(buf|log|iget|trans)|xlog_|btrfs_(wait|commit|sync|tree_read)|wait_(current_trans|for_commit)|dm_|'
    .'md_|nfs\d?_|rpc_|__rpc_|fuse_|request_wait_answer|cifs_|ceph_|p9_|swap_read|dio_|__iomap_dio_rw|'
    .'iomap_dio)/';

    // A process that creates, removes or lists files in a directory waits here for others that do the same,
    // and a process that maps a file waits for others that map the same file. Only the stack has
    // the names of the locks.
    case Lock =
    '/\A(path_openat|open_last_lookups|lookup_(slow|open)|do_last|walk_component|link_path_walk|iterate_dir|'
    .'d_alloc_parallel|d_wait_lookup|filename_(create|unlinkat|rmdir)|(__)?start_(dirop|removing|creating)|'
    .'do_(unlinkat|rmdir|renameat2?|mkdirat|symlinkat|linkat|truncate)|lock_(rename|two_directories|mount)|'
    .'vfs_(unlink|rename|rmdir|create|mkdir|fallocate|setxattr)|chmod_common|chown_common|vfs_utimes|'
    .'notify_change|\w+_(buffered_write_iter|file_write_iter|file_read_iter)|rwsem_|down_(read|write)|'
    .'(__)?mutex_lock|(__)?mmap_|(__)?vm_mmap|(__)?vm_munmap|(__)?vma_|vms_|__split_vma|split_vma|do_vmi_|'
    .'do_brk|do_m(un)?map|(un)?link_(file_vma|anon_vmas)|(__)?anon_vma_|dup_mmap|exit_mm|free_pgtables|'
    .'unmap_region|do_user_addr_fault|exc_page_fault|lock_mm_and_find_vma|do_mprotect_pkey|'
    .'__x64_sys_(munmap|brk)|ksys_mmap)/';

    // vfork(): waits until the child has called execve().
    case Child = '/\A(kernel_clone|_?do_fork|wait_for_vfork_done)/';

    /**
     * Null if none of them is known. A process that waits for a lock is in the function that takes it;
     * the way to a disk may be long.
     *
     * @param list<string> $functions the innermost first
     */
    public static function fromFunctions(array $functions): ?self
    {
        foreach (self::cases() as $hold) {
            if (preg_match($hold->value, $functions[0] ?? '') === 1) {
                return $hold;
            }
        }

        return array_filter(
            $functions,
            static fn (string $function): bool => preg_match(self::Disk->value, $function) === 1,
        ) === []
            ? null
            : self::Disk;
    }

    public function wait(int $pid): Wait
    {
        return match ($this) {
            self::Disk => new Wait(WaitKind::Disk, null, null, $pid),
            self::Lock => new Wait(WaitKind::KernelLock, null, null, $pid),
            self::Child => new Wait(WaitKind::Other, null, 'until a child process has started', $pid),
        };
    }
}
