<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;

/**
 * Lives in a child process. It asks the filesystem nothing, so that PHP's stat cache stays as the
 * code under test left it.
 */
final class ScriptedCheckpoint implements FaultPoint
{
    /** @var array<string, int> how often each point was reached */
    private array $hits = [];

    /** @param array<string, string> $points act by "name" for its first time, or "name#3" for its third */
    public function __construct(private readonly array $points) {}

    public function reached(string $name): void
    {
        $hit = $this->hits[$name] = ($this->hits[$name] ?? 0) + 1;
        $act = $this->points["{$name}#{$hit}"] ?? ($hit === 1 ? $this->points[$name] ?? null : null);

        if ($act === null) {
            return;
        }

        fwrite(STDOUT, "at {$name}\n");

        match (Act::from($act)) {
            // The pipe's end tells that the test is gone.
            Act::Wait => fgets(STDIN) === false ? exit(3) : true,
            Act::Stop => posix_kill((int) getmypid(), SIGSTOP),
            Act::Kill => posix_kill((int) getmypid(), SIGKILL),
            Act::Exit => exit(0),
        };
    }
}
