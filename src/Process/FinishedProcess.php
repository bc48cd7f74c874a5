<?php

declare(strict_types=1);

namespace Headroom\Process;

use Symfony\Component\Process\Process;

/**
 * The result of a program that has ended.
 *
 * @internal
 */
final readonly class FinishedProcess
{
    private function __construct(public int $exit, public string $output, public string $errors) {}

    /**
     * @param non-empty-list<string> $command run without a shell
     * @param array<string, string> $env added to the environment of this process
     */
    public static function of(array $command, string $directory, array $env = [], float $seconds = 300): self
    {
        $process = new Process($command, $directory, $env, timeout: $seconds);
        $exit = $process->run();

        return new self($exit, $process->getOutput(), $process->getErrorOutput());
    }
}
