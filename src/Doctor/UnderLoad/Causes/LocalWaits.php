<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * Waits on this machine without a server at the other end.
 *
 * @internal
 */
final readonly class LocalWaits implements CauseDetector
{
    private function __construct(
        private WaitKind $kind,
        private Bottleneck $bottleneck,
        private string $words,
        private string $next,
    ) {}

    public static function forFileLocks(): self
    {
        return new self(
            WaitKind::FileLock,
            Bottleneck::FileLocks,
            'Requests wait for file locks: %s wait until another one releases its lock%s.',
            'Sessions of PHP lock their file until the request ends, so requests of one user wait for each other.'
                .' Use sessions of Laravel or Redis, or call session_write_close() early.'
                .' `lsof` or /proc/locks names the file.',
        );
    }

    public static function forTheDisk(): self
    {
        return new self(
            WaitKind::Disk,
            Bottleneck::Disk,
            'Requests wait for a disk: %s wait for it%s.',
            'Find the processes that use it: iostat -x 1, pidstat -d 1. Usual causes are logs, sessions and caches in'
                .' files, or a network file system.',
        );
    }

    public static function forSleep(): self
    {
        return new self(
            WaitKind::Sleeping,
            Bottleneck::Sleeping,
            'Requests sleep: %s are in sleep() or usleep(), or in a loop that tries again%s.',
            'Find the line that sleeps: the slow log has it (check F8 enables it, headroom logs:slow reads it).'
                .' Waits for a lock and retries of calls sleep too.',
        );
    }

    public function in(Recording $recording): ?Cause
    {
        $waits = fn (Wait $wait): bool => $wait->kind === $this->kind;
        $share = $recording->dominantShare($waits);

        return $share === null
            ? null
            : new Cause(
                $this->bottleneck,
                $share,
                sprintf($this->words, $recording->of($waits), $recording->idleSuffix()),
                $recording->evidence(),
                $recording->severity(),
                $this->next,
            );
    }
}
