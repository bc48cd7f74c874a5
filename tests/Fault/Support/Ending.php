<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

/**
 * How a fork ended, and what it had said until then.
 */
final readonly class Ending
{
    /** @param list<array{string, string}> $said kind and words */
    private function __construct(public int $pid, public int $signal, public int $code, private array $said) {}

    /** @param array<string, mixed> $news of Forks */
    public static function fromNews(array $news): self
    {
        /** @var array{ended: int, signal: int, code: int, said: string} $news */
        $lines = explode("\n", $news['said']);
        array_pop($lines);

        /** @var list<array{string, string}> $said */
        $said = array_map(static fn (string $line): mixed => json_decode($line, true, 4, JSON_THROW_ON_ERROR), $lines);

        return new self($news['ended'], $news['signal'], $news['code'], $said);
    }

    public function wasKilled(): bool
    {
        return $this->signal === SIGKILL;
    }

    /** @return list<string> */
    public function said(string $kind): array
    {
        return array_values(array_map(
            static fn (array $line): string => $line[1],
            array_filter($this->said, static fn (array $line): bool => $line[0] === $kind),
        ));
    }

    public function inWords(): string
    {
        return "It ended with signal {$this->signal}, code {$this->code}. Said: ".json_encode($this->said);
    }
}
