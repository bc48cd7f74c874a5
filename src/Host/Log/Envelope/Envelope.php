<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Log\LineReader;

/**
 * The layers that log transports, such as Docker and the journal, put around the lines of one file. A log that a
 * program wrote itself has no layer.
 *
 * @internal
 */
final readonly class Envelope
{
    /** A line of a container's log has at most the prefix of the runtime, that of the orchestrator, and colours. */
    private const MAX_LAYERS = 4;

    /** The share of the first lines that must have a prefix. Tools print lines of their own in between. */
    private const SHARE = 2 / 3;

    /** Sources whose current line is incomplete. */
    private const MAX_INCOMPLETE = 64;

    /** @param list<EnvelopeLayer> $layers the outermost first */
    private function __construct(private array $layers) {}

    public static function none(): self
    {
        return new self([]);
    }

    /**
     * A layer is removed only if more lines look like native log lines without it, so a log that a program wrote itself
     * keeps its lines unchanged.
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

        [$layers, $inside] = self::findLayers($head, $clock, self::MAX_LAYERS);

        $isSure = $inside > 0
            && array_filter($layers, static fn (EnvelopeLayer $layer): bool => ! $layer->isLoose()) !== [];

        if (! $isSure && $inside < count($head)) {
            $any = new LinePrefix(PrefixShape::Any, new PrefixTime($clock));
            $remaining = NativeLine::count(self::withoutLayer($any, $head) ?? []);
            [$layers, $inside] = $remaining > max($inside, $native) ? [[$any], $remaining] : [$layers, $inside];
        }

        return $inside > $native || $native === 0 ? new self($layers) : self::none();
    }

    public function isNone(): bool
    {
        return $this->layers === [];
    }

    /**
     * Yields only the text. It suits logs whose entries have one line each.
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
     * Joins lines that the transport split into pieces.
     *
     * @param iterable<string> $lines
     * @return iterable<UnwrappedLine>
     */
    public function lines(iterable $lines): iterable
    {
        $incomplete = [];

        foreach ($lines as $line) {
            $unwrapped = $this->unwrapped($line);
            $before = $incomplete[$unwrapped->source] ?? null;

            if ($before !== null) {
                unset($incomplete[$unwrapped->source]);
                // A joined line is cut at the limit, as any other line is.
                $text = strlen($before->text) < LineReader::LONGEST ? $before->text.$unwrapped->text : $before->text;
                $unwrapped = new UnwrappedLine($text, $before->source, $before->time, $unwrapped->continues);
            }

            if (! $unwrapped->continues) {
                yield from self::splitLines($unwrapped);
            } else {
                $incomplete[$unwrapped->source] = $unwrapped;
            }

            if (count($incomplete) > self::MAX_INCOMPLETE) {
                yield from self::splitLines(array_shift($incomplete));
            }
        }

        foreach ($incomplete as $unwrapped) {
            yield from self::splitLines($unwrapped);
        }
    }

    /**
     * @param non-empty-list<string> $lines
     * @return array{list<EnvelopeLayer>, int} the layers, and the number of lines inside that
     *     look like native log lines
     */
    private static function findLayers(array $lines, Clock $clock, int $depth): array
    {
        [$best, $most] = [[], -1];

        foreach ($depth === 0 ? [] : self::candidates($lines, $clock) as $layer) {
            $inside = self::withoutLayer($layer, $lines);

            if ($inside === null) {
                continue;
            }

            [$layers, $native] = [[$layer], NativeLine::count($inside)];
            [$further, $count] = $native === count($inside) ? [[], 0] : self::findLayers($inside, $clock, $depth - 1);

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
     * @return ?non-empty-list<string> null if the layer does not wrap most lines
     */
    private static function withoutLayer(EnvelopeLayer $layer, array $lines): ?array
    {
        $inside = [];
        $count = 0;

        foreach ($lines as $line) {
            $unwrapped = $layer->unwrap($line);
            $count += $unwrapped === null ? 0 : 1;
            $inside[] = $unwrapped->text ?? $line;
        }

        // Some tools colour only urgent lines.
        $enough = $layer instanceof ColourCodes ? 1 : self::SHARE * count($lines);

        return $count >= $enough ? $inside : null;
    }

    /**
     * @param list<string> $lines
     * @return iterable<EnvelopeLayer>
     */
    private static function candidates(array $lines, Clock $clock): iterable
    {
        yield new ColourCodes;
        yield from JsonLines::among($lines, new PrefixTime($clock));

        foreach (PrefixShape::around() as $shape) {
            yield new LinePrefix($shape, new PrefixTime($clock));
        }
    }

    private function unwrapped(string $line): UnwrappedLine
    {
        [$source, $time, $continues] = ['', null, false];

        foreach ($this->layers as $layer) {
            $unwrapped = $layer->unwrap($line);

            if ($unwrapped !== null) {
                $line = $unwrapped->text;
                $source = ltrim("{$source} {$unwrapped->source}");
                $time = $unwrapped->time ?? $time;
                $continues = $continues || $unwrapped->continues;
            }
        }

        return new UnwrappedLine($line, $source, $time, $continues);
    }

    /** @return iterable<UnwrappedLine> */
    private static function splitLines(UnwrappedLine $unwrapped): iterable
    {
        if (! str_contains($unwrapped->text, "\n")) {
            yield $unwrapped;

            return;
        }

        foreach (explode("\n", $unwrapped->text) as $text) {
            yield new UnwrappedLine($text, $unwrapped->source, $unwrapped->time);
        }
    }
}
