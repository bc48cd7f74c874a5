<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Candidate;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * Waits on this machine without a server at the other end.
 *
 * @internal
 */
final readonly class LocalWaits implements Cause
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
            'Requests wait for locks of files: %s wait until another one lets its file go%s.',
            'PHP keeps the file of a session locked until the request ends, so that requests of one user wait for each'
                .' other: keep sessions of Laravel or in Redis, or call session_write_close() early.'
                .' `lsof` or /proc/locks names the file.',
        );
    }

    public static function forTheDisk(): self
    {
        return new self(
            WaitKind::Disk,
            Bottleneck::Disk,
            'Requests wait for a disk: %s wait for it%s.',
            'See who uses it: iostat -x 1, pidstat -d 1. Logs, sessions and caches in files are the usual ones;'
                .' a network file system as well.',
        );
    }

    public static function forSleep(): self
    {
        return new self(
            WaitKind::Sleeping,
            Bottleneck::Sleeping,
            'Requests sleep: %s are in sleep() or usleep(), or in a loop that tries again%s.',
            'Find the line that sleeps: the slow log names it (check F8 switches it on, headroom logs:slow reads it).'
                .' A lock that is tried again and again, and retries of calls, sleep as well.',
        );
    }

    public function in(Recording $recording): ?Candidate
    {
        $waits = fn (Wait $wait): bool => $wait->kind === $this->kind;
        $share = $recording->dominantShare($waits);

        return $share === null
            ? null
            : new Candidate(
                $this->bottleneck,
                $share,
                sprintf($this->words, $recording->of($waits), $recording->idleSuffix()),
                $recording->evidence(),
                $recording->severity(),
                $this->next,
            );
    }
}
