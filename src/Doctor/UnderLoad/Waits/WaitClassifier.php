<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\Sockets\Listeners;
use Headroom\Doctor\UnderLoad\Waits\Sockets\NetworkNamespace;
use Headroom\Doctor\UnderLoad\Waits\Sockets\Peer;
use Headroom\Doctor\UnderLoad\Waits\Sockets\Socket;

/**
 * Derives the wait of a process from its system call and the sockets of its network namespace.
 *
 * @internal
 */
final readonly class WaitClassifier
{
    private const NAME_SERVER = 53;

    /** @param array<string, string> $known by address */
    public function __construct(private array $known, private Listeners $listeners) {}

    public function of(BlockedSyscall $blocked, NetworkNamespace $network): Wait
    {
        $kind = match ($blocked->call) {
            Syscall::Accept => WaitKind::Idle,
            Syscall::Sleep => WaitKind::Sleeping,
            Syscall::Flock, Syscall::Fcntl => WaitKind::FileLock,
            Syscall::Child, Syscall::Futex, Syscall::Restart => WaitKind::Other,
            default => null,
        };

        return match (true) {
            $kind === WaitKind::Other => new Wait(
                $kind,
                null,
                $blocked->call === Syscall::Child ? 'until a child process ends' : "in {$blocked->call->value}",
                $blocked->pid,
            ),
            $kind !== null => new Wait($kind, null, null, $blocked->pid),
            $blocked->notSeen !== null => $this->only($blocked, $blocked->notSeen, $network),
            $blocked->path !== null => new Wait(
                WaitKind::Connecting,
                $this->peer("unix:{$blocked->path}", $network->listener($blocked->path)),
                null,
                $blocked->pid,
            ),
            default => $this->awaited($blocked, $network),
        };
    }

    private function awaited(BlockedSyscall $blocked, NetworkNamespace $network): Wait
    {
        $waits = [];
        $unseen = false;

        foreach ($blocked->awaited as $awaited) {
            $inode = $awaited->socket();
            $socket = $inode === null ? null : $network->find($inode);
            $unseen = $unseen || ($inode !== null && $socket === null);

            if ($socket !== null) {
                $waits[] = $this->on($socket, $awaited, $blocked);
            }
        }

        // Of many descriptors, as with curl, the connection to a server with an address counts.
        usort($waits, static fn (Wait $a, Wait $b): int => self::rank($a) <=> self::rank($b));

        return $waits[0] ?? ($unseen
            ? new Wait(WaitKind::Unknown, null, $network->whyNot($blocked->pid), $blocked->pid)
            : new Wait(WaitKind::Other, null, 'on '.self::kindOf($blocked->awaited[0]->target ?? ''), $blocked->pid));
    }

    private function on(Socket $socket, AwaitedDescriptor $awaited, BlockedSyscall $blocked): Wait
    {
        $kind = match (true) {
            $socket->listens => WaitKind::Idle,
            $socket->isAccepted => WaitKind::Client,
            $socket->remotePort === self::NAME_SERVER => WaitKind::Resolving,
            $socket->isOpening, $blocked->call === Syscall::Connect => WaitKind::Connecting,
            $blocked->call === Syscall::Write => WaitKind::Sending,
            // poll() would have returned at once for an established connection with room to write,
            // so the connection was still opening a moment ago.
            $awaited->toWrite => $socket->isUnix || $socket->hasUnsent ? WaitKind::Sending : WaitKind::Connecting,
            default => WaitKind::Reply,
        };

        return match (true) {
            $kind === WaitKind::Idle, $kind === WaitKind::Client => new Wait($kind, null, null, $blocked->pid),
            $socket->remote === '' => new Wait(
                $kind,
                null,
                'the other end of its Unix socket is unknown. This command shows it:'
                    ." sudo ss -xp | grep pid={$blocked->pid},",
                $blocked->pid,
            ),
            default => new Wait($kind, $this->peer($socket->remote, $socket->listener), null, $blocked->pid),
        };
    }

    /** If the descriptors are unknown: its only connection to a server, or nothing if it has several. */
    private function only(BlockedSyscall $blocked, string $notSeen, NetworkNamespace $network): Wait
    {
        $sockets = array_values(array_filter(
            array_map($network->find(...), $blocked->sockets()),
            static fn (?Socket $socket): bool => $socket !== null && ! $socket->listens,
        ));
        $opened = array_values(array_filter($sockets, static fn (Socket $socket): bool => ! $socket->isAccepted));
        $candidates = $opened === [] ? $sockets : $opened;

        if (count($candidates) !== 1) {
            return new Wait(
                WaitKind::Unknown,
                null,
                "{$notSeen}, and it has ".count($candidates)
                    ." connections. This command shows it: sudo strace -p {$blocked->pid}",
                $blocked->pid,
            );
        }

        $wait = $this->on($candidates[0], new AwaitedDescriptor(true, false, ''), $blocked);

        return new Wait($wait->kind, $wait->peer, "its only connection; {$notSeen}", $blocked->pid);
    }

    private function peer(string $address, ?int $listener): Peer
    {
        return new Peer(
            $address,
            $this->known[$address] ?? ($listener === null ? null : $this->listeners->program($listener)),
        );
    }

    private static function rank(Wait $wait): int
    {
        return match (true) {
            $wait->peer !== null => 0,
            $wait->kind === WaitKind::Client => 1,
            $wait->kind === WaitKind::Idle => 2,
            default => 3,
        };
    }

    /** The kind of the file, because its path may contain a session id. */
    private static function kindOf(string $target): string
    {
        return match (true) {
            str_starts_with($target, 'pipe:') => 'a pipe',
            str_starts_with($target, 'anon_inode:') => 'an '.trim(substr($target, 11), '[]'),
            str_starts_with($target, '/dev/') => $target,
            default => 'a file',
        };
    }
}
