<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Transport;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Log\LineReader;

/**
 * What lies around the lines of one file, layer by layer: none, where the programs' own logs were not handed on by
 * anything.
 *
 * @internal
 */
final readonly class Transport
{
    /** Around a line of a container's log, its runtime's prefix, that of its orchestrator, and colours. */
    private const DEEPEST = 4;

    /** Of the lines of the beginning, such a share has to have a prefix: tools print lines of their own between. */
    private const SHARE = 2 / 3;

    /** Sources with a line of which only the beginning has come. */
    private const MOST_BEGUN = 64;

    /** @param list<Layer> $layers the outermost first */
    private function __construct(private array $layers) {}

    public static function none(): self
    {
        return new self([]);
    }

    /**
     * Layers are taken off only where more lines look like those of a log without them: none of a log that a program
     * wrote itself.
     *
     * @param list<string> $head the first lines of a file
     */
    public static function of(array $head, Clock $clock = new SystemClock): self
    {
        $head = array_values(array_filter($head, static fn (string $line): bool => trim($line) !== ''));
        $native = NativeLine::count($head);

        if ($head === [] || $native > count($head) / 2) {
            return self::none();
        }

        [$layers, $inside] = self::around($head, $clock, self::DEEPEST);

        $isSure = $inside > 0 && array_filter($layers, static fn (Layer $layer): bool => ! $layer->isLoose()) !== [];

        if (! $isSure && $inside < count($head)) {
            $any = new Prefix(PrefixShape::Any, new PrefixTime($clock));
            $behind = NativeLine::count(self::inside($any, $head) ?? []);
            [$layers, $inside] = $behind > max($inside, $native) ? [[$any], $behind] : [$layers, $inside];
        }

        return $inside > $native || $native === 0 ? new self($layers) : self::none();
    }

    public function isNone(): bool
    {
        return $this->layers === [];
    }

    /**
     * Only the text, for logs whose entries have one line each.
     *
     * @param iterable<string> $lines
     * @return iterable<string>
     */
    public function texts(iterable $lines): iterable
    {
        foreach ($this->lines($lines) as $line) {
            yield $line->text;
        }
    }

    /**
     * Lines whole again, also where they came in pieces.
     *
     * @param iterable<string> $lines
     * @return iterable<Carried>
     */
    public function lines(iterable $lines): iterable
    {
        $begun = [];

        foreach ($lines as $line) {
            $carried = $this->carried($line);
            $before = $begun[$carried->source] ?? null;

            if ($before !== null) {
                unset($begun[$carried->source]);
                // As of any line, of one that is too long the beginning is kept.
                $text = strlen($before->text) < LineReader::LONGEST ? $before->text.$carried->text : $before->text;
                $carried = new Carried($text, $before->source, $before->time, $carried->goesOn);
            }

            if (! $carried->goesOn) {
                yield from self::split($carried);
            } else {
                $begun[$carried->source] = $carried;
            }

            if (count($begun) > self::MOST_BEGUN) {
                yield from self::split(array_shift($begun));
            }
        }

        foreach ($begun as $carried) {
            yield from self::split($carried);
        }
    }

    /**
     * @param non-empty-list<string> $lines
     * @return array{list<Layer>, int} and how many lines look like those of a log inside of them
     */
    private static function around(array $lines, Clock $clock, int $depth): array
    {
        [$best, $most] = [[], -1];

        foreach ($depth === 0 ? [] : self::layers($lines, $clock) as $layer) {
            $inside = self::inside($layer, $lines);

            if ($inside === null) {
                continue;
            }

            [$layers, $native] = [[$layer], NativeLine::count($inside)];
            [$further, $count] = $native === count($inside) ? [[], 0] : self::around($inside, $clock, $depth - 1);

            if ($count > $native || ($native === 0 && $further !== [])) {
                [$layers, $native] = [[$layer, ...$further], $count];
            }

            if ($native > $most && ($native > 0 || ! $layer->isLoose())) {
                [$best, $most] = [$layers, $native];
            }
        }

        return [$best, $most];
    }

    /**
     * @param non-empty-list<string> $lines
     * @return ?non-empty-list<string> null where it is not around most of them
     */
    private static function inside(Layer $layer, array $lines): ?array
    {
        $inside = [];
        $count = 0;

        foreach ($lines as $line) {
            $carried = $layer->take($line);
            $count += $carried === null ? 0 : 1;
            $inside[] = $carried->text ?? $line;
        }

        // Some tools colour only what is urgent.
        $enough = $layer instanceof Colours ? 1 : self::SHARE * count($lines);

        return $count >= $enough ? $inside : null;
    }

    /**
     * @param list<string> $lines
     * @return iterable<Layer>
     */
    private static function layers(array $lines, Clock $clock): iterable
    {
        yield new Colours;
        yield from JsonLines::among($lines, new PrefixTime($clock));

        foreach (PrefixShape::around() as $shape) {
            yield new Prefix($shape, new PrefixTime($clock));
        }
    }

    private function carried(string $line): Carried
    {
        [$source, $time, $goesOn] = ['', null, false];

        foreach ($this->layers as $layer) {
            $carried = $layer->take($line);

            if ($carried !== null) {
                $line = $carried->text;
                $source = ltrim("{$source} {$carried->source}");
                $time = $carried->time ?? $time;
                $goesOn = $goesOn || $carried->goesOn;
            }
        }

        return new Carried($line, $source, $time, $goesOn);
    }

    /** @return iterable<Carried> */
    private static function split(Carried $carried): iterable
    {
        if (! str_contains($carried->text, "\n")) {
            yield $carried;

            return;
        }

        foreach (explode("\n", $carried->text) as $text) {
            yield new Carried($text, $carried->source, $carried->time);
        }
    }
}
