<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Closure;
use PHPUnit\Framework\Assert;
use Throwable;

/**
 * A fork of PHPUnit. An exception in it ends it here: otherwise it would go on with the tests behind its parent's.
 */
final readonly class ForkedChild
{
    private function __construct(private int $pid) {}

    /** @param Closure(): bool $does returns whether the child saw what it should */
    public static function start(Closure $does): self
    {
        $pid = pcntl_fork();
        Assert::assertGreaterThanOrEqual(0, $pid);

        if ($pid === 0) {
            try {
                $isRight = $does();
            } catch (Throwable $e) {
                fwrite(STDERR, "The forked child failed: {$e}\n");
            }

            // Without its parent's exit handlers and destructors; a handler of signals would let it go on.
            pcntl_signal(SIGTERM, SIG_DFL);
            posix_kill((int) getmypid(), $isRight ?? false ? SIGKILL : SIGTERM);
        }

        return new self($pid);
    }

    /** Waits until it has ended. */
    public function isRight(): bool
    {
        pcntl_waitpid($this->pid, $status);

        return is_int($status) && pcntl_wifsignaled($status) && pcntl_wtermsig($status) === SIGKILL;
    }
}
