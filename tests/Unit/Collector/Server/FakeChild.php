<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\ChildProcess;

/**
 * A process that a test speaks for, and ends.
 */
final class FakeChild implements ChildProcess
{
    /** @var list<string> what it says next */
    public array $says = [];

    /** @var list<string> what it said before its end, and is heard when that is seen */
    public array $lastWords = [];

    /** @var list<string> */
    public array $told = [];

    /** @var list<int> */
    public array $signals = [];

    public ?string $end = null;

    /** As in a system call that the kernel does not interrupt. */
    public bool $isStuck = false;

    public function __construct(public readonly string $post, public readonly int $second) {}

    public function pid(): int
    {
        return 1;
    }

    public function line()
    {
        return null;
    }

    public function hear(): array
    {
        [$said, $this->says] = [$this->says, []];

        return $said;
    }

    public function tell(string $line): void
    {
        $this->told[] = $line;
    }

    public function signal(int $signal): void
    {
        $this->signals[] = $signal;
        $this->end ??= $signal === 9 && ! $this->isStuck ? 'was ended by signal 9' : null;
    }

    public function end(): ?string
    {
        if ($this->end !== null) {
            array_push($this->says, ...$this->lastWords);
            $this->lastWords = [];
        }

        return $this->end;
    }
}
