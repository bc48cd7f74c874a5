<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Dashboard;

use Closure;
use Headroom\Core\Position;
use Headroom\Spool\DeadLetters\ListedLetters;
use Headroom\Spool\Store\DeadLetter;

/**
 * Any number of dead letters that are on no disk, and how many of them were read.
 */
final class GeneratedLetters implements ListedLetters
{
    public int $read = 0;

    /** @param ?Closure(int): string $note a value of each event */
    public function __construct(
        private readonly int $count,
        private readonly ?Closure $note = null,
        private readonly string $password = '',
    ) {}

    public function positions(): array
    {
        return array_map(
            static fn (int $number): string => sprintf('%020d-%020d-%05d', $number, 116, 0),
            range(1, $this->count),
        );
    }

    public function at(array $positions): iterable
    {
        foreach ($positions as $position) {
            $this->read++;
            $number = (int) substr($position, 0, 20);
            $note = $this->note === null ? 'x' : ($this->note)($number);

            yield new DeadLetter(
                Position::fromString($position),
                "id-{$number}",
                1_700_000_000_000_000 + $number,
                1_700_000_001_000_000 + $number,
                'database',
                "Row {$number}: value '{$number}' is too long",
                json_encode(['note' => $note, 'Password' => $this->password], JSON_THROW_ON_ERROR),
            );
        }
    }
}
