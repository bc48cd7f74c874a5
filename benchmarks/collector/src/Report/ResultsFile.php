<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * What a run wrote, by parts.
 */
final readonly class ResultsFile
{
    /** @param array<string, MeasuredPart> $parts */
    private function __construct(public string $name, public bool $isQuick, private array $parts) {}

    /** @throws UnableToReadResults */
    public static function read(string $path): self
    {
        return self::of(basename($path), ResultsText::read($path, 'collector'));
    }

    /** @throws UnableToReadResults */
    public static function of(string $name, Piece $results): self
    {
        $measured = [];

        foreach ($results->at('parts')->all() as $part => $is) {
            Part::tryFrom($part)
                ?? throw $results->at('parts')
                    ->wrong($part, 'a part that benchmarks/collector/src/Report/Part.php knows');
            $measured[$part] = new MeasuredPart($part, $is);
        }

        return new self($name, $results->has('quick') && $results->isTrue('quick'), $measured);
    }

    public function part(Part $part): ?MeasuredPart
    {
        return $this->parts[$part->value] ?? null;
    }

    /** @return list<MeasuredPart> in the order of the report */
    public function measured(): array
    {
        return array_values(array_filter(array_map($this->part(...), Part::cases())));
    }
}
