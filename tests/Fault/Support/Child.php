<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\SystemClock;
use RuntimeException;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/**
 * A process of a fault test, seen from the test.
 */
final class Child
{
    private const PATIENCE_SECONDS = 30;

    private string $output = '';

    private function __construct(
        private readonly Process $process,
        private readonly InputStream $input,
        private readonly string $name,
    ) {}

    /**
     * @param list<string> $arguments
     * @param array<string, Act> $points
     */
    public static function start(World $world, string $action, array $arguments = [], array $points = []): self
    {
        $script = ['world' => $world->toJson(), 'action' => $action, 'arguments' => $arguments, 'points' => $points];
        $input = new InputStream;
        $process = new Process(
            [
                PHP_BINARY,
                '-d',
                'display_errors=stderr',
                __DIR__.'/child.php',
                json_encode($script, JSON_THROW_ON_ERROR),
            ],
            timeout: null,
        );
        $process->setInput($input);
        $process->start();

        return new self($process, $input, $action);
    }

    public function pid(): int
    {
        return $this->process->getPid() ?? throw new RuntimeException("The child '{$this->name}' has ended.");
    }

    public function awaitPoint(string $name): void
    {
        $this->await(fn (): bool => preg_match("/^at {$name}$/m", $this->output) === 1, "reached {$name}");
        $this->output = '';
    }

    public function awaitStopped(string $name): void
    {
        $this->awaitPoint($name);
        $this->await(
            fn (): bool => preg_match('/\) T /', (string) @file_get_contents("/proc/{$this->pid()}/stat")) === 1,
            'stopped itself',
        );
    }

    public function goOn(): void
    {
        $this->input->write("\n");
        $this->isRunning();
    }

    public function resume(): void
    {
        $this->process->signal(SIGCONT);
    }

    public function isRunning(): bool
    {
        // Asking is also what moves the pipes.
        $running = $this->process->isRunning();
        $this->output .= $this->process->getIncrementalOutput();

        return $running;
    }

    public function awaitKilled(): void
    {
        $this->awaitEnd();

        if (! $this->process->hasBeenSignaled() || $this->process->getTermSignal() !== SIGKILL) {
            throw new RuntimeException("The child '{$this->name}' was to die by SIGKILL. {$this->words()}");
        }
    }

    /** @return array<string, mixed> what the action told */
    public function result(): array
    {
        $this->awaitEnd();

        if ($this->process->getExitCode() !== 0 || preg_match('/^done (.*)$/m', $this->output, $m) !== 1) {
            throw new RuntimeException("The child '{$this->name}' failed. {$this->words()}");
        }

        /** @var array<string, mixed> $result */
        $result = json_decode($m[1], true, 8, JSON_THROW_ON_ERROR);

        return $result;
    }

    /** A child that was stopped can be killed, too. */
    public function kill(): void
    {
        if ($this->process->isRunning()) {
            $this->process->signal(SIGKILL);
        }

        $this->input->close();
        $this->awaitEnd();
    }

    public function awaitEnd(): void
    {
        $this->await(fn (): bool => ! $this->process->isRunning(), 'ended', true);
    }

    /** @param callable(): bool $isMet */
    private function await(callable $isMet, string $what, bool $mayEnd = false): void
    {
        $clock = new SystemClock;
        $deadline = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        while (true) {
            $running = $this->isRunning();

            if ($isMet()) {
                $this->isRunning();

                return;
            }

            if ((! $running && ! $mayEnd) || $clock->monotonicNanos() > $deadline) {
                throw new RuntimeException("The child '{$this->name}' never {$what}. {$this->words()}");
            }

            $clock->sleep(500);
        }
    }

    private function words(): string
    {
        $end = $this->process->isRunning() ? 'It is still running.' : "It ended with {$this->process->getExitCode()}.";

        return "{$end} Printed: {$this->output} {$this->process->getErrorOutput()}";
    }
}
