<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * The system calls in which a process waits.
 *
 * @internal
 */
enum Syscall: string
{
    case Accept = 'accept()';
    case Read = 'read()';
    case Write = 'write()';
    case Poll = 'poll()';
    case Select = 'select()';
    case Epoll = 'epoll_wait()';
    case Connect = 'connect()';
    case Flock = 'flock()';
    case Fcntl = 'fcntl()';
    case Sleep = 'nanosleep()';
    case Child = 'wait4()';
    case Futex = 'futex()';
    case Restart = 'restart_syscall()';

    // arch/x86/entry/syscalls/syscall_64.tbl
    private const X86_64 = [
        0 => self::Read, 1 => self::Write, 7 => self::Poll, 19 => self::Read, 20 => self::Write, 23 => self::Select,
        35 => self::Sleep, 42 => self::Connect,
        43 => self::Accept, 44 => self::Write, 45 => self::Read, 46 => self::Write, 47 => self::Read,
        61 => self::Child, 72 => self::Fcntl,
        73 => self::Flock, 202 => self::Futex, 219 => self::Restart, 230 => self::Sleep, 232 => self::Epoll,
        247 => self::Child,
        270 => self::Select, 271 => self::Poll, 281 => self::Epoll, 288 => self::Accept, 441 => self::Epoll,
    ];

    // include/uapi/asm-generic/unistd.h
    private const AARCH64 = [
        22 => self::Epoll, 25 => self::Fcntl, 32 => self::Flock, 63 => self::Read, 64 => self::Write, 65 => self::Read,
        66 => self::Write, 72 => self::Select,
        73 => self::Poll, 95 => self::Child, 98 => self::Futex, 101 => self::Sleep, 115 => self::Sleep,
        128 => self::Restart,
        202 => self::Accept, 203 => self::Connect, 206 => self::Write, 207 => self::Read, 211 => self::Write,
        212 => self::Read,
        242 => self::Accept, 260 => self::Child, 441 => self::Epoll,
    ];

    // Kernel functions of versions 4 to 6. A compiler may append a suffix.
    private const CHANNELS = [
        'Accept' => '/\A(inet_csk_accept|unix_accept)/',
        'Read' => '/\A(sk_wait_data|tcp_recvmsg|unix_stream_(read_generic|data_wait))/',
        'Write' => '/\A(sk_stream_wait_memory|sock_alloc_send_pskb|unix_stream_sendmsg)/',
        'Poll' => '/\A(poll_schedule_timeout|do_(sys_|restart_)?poll|do_select)/',
        'Epoll' => '/\A(ep_poll|do_epoll_wait)/',
        'Connect' =>
            '/\A(inet_stream_connect|__inet_stream_connect|inet_wait_for_connect|unix_stream_connect|'
            .'unix_wait_for_peer)/',
        'Flock' =>
            '/\A(flock_lock_inode_wait|locks_lock_inode_wait|posix_lock_inode_wait|fcntl_setlk|__do_sys_flock|'
            .'do_lock_file_wait)/',
        'Sleep' => '/\A(hrtimer_nanosleep|do_nanosleep|common_nsleep)/',
        'Child' => '/\Ado_wait/',
        'Futex' => '/\A(futex_wait|futex_do_wait)/',
    ];

    /** Null for a call that does not wait for a connection, a lock or a time. */
    public static function fromNumber(int $number, string $machine): ?self
    {
        return self::numbers($machine)[$number] ?? null;
    }

    public static function knows(string $machine): bool
    {
        return self::numbers($machine) !== [];
    }

    /** @param string $function of the kernel, from /proc/PID/wchan */
    public static function fromChannel(string $function): ?self
    {
        foreach (self::cases() as $call) {
            if (preg_match(self::CHANNELS[$call->name] ?? '/\A\z/', $function) === 1 && $function !== '') {
                return $call;
            }
        }

        return null;
    }

    /** Whether it waits for descriptors, one or many. */
    public function waitsForDescriptors(): bool
    {
        return in_array($this, [self::Read, self::Write, self::Connect, self::Poll, self::Select, self::Epoll], true);
    }

    /** @return array<int, self> */
    private static function numbers(string $machine): array
    {
        return match ($machine) {
            'x86_64', 'amd64' => self::X86_64,
            'aarch64', 'arm64' => self::AARCH64,
            default => [],
        };
    }
}
