<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Report\Page\Page as Document;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Words;
use Headroom\Report\ReportFile;
use JsonException;
use RuntimeException;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    /** @param array<string, mixed> $results of the file */
    private function __construct(private array $results) {}

    /** @throws UnableToReadResults */
    public static function of(string $results): self
    {
        return new self(self::read($results));
    }

    /**
     * Makes bottleneck.html of bottleneck.json.
     *
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $results): string
    {
        $html = self::of($results)->html();
        $path = preg_replace('/\.json\z/', '', $results).'.html';

        $obstacle = ReportFile::write($path, $html);

        return $obstacle === null ? $path : throw new RuntimeException("{$path} could not be written: {$obstacle}.");
    }

    public function html(): string
    {
        return (new Document('Bottleneck benchmark', $this->what(), [
            ...$this->warnings(),
            ...$this->stages(),
            ...$this->mended(),
            ...(new Given($this->results))->sections(),
        ]))->html();
    }

    /**
     * @return array<string, mixed>
     * @throws UnableToReadResults
     */
    private static function read(string $path): array
    {
        $text = is_file($path) ? (string) file_get_contents($path) : throw UnableToReadResults::notThere($path);
        try {
            $results = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw UnableToReadResults::notOurs($path);
        }

        return is_array($results) && ($results['experiment'] ?? null) === 'bottleneck' && is_array($results['parts'] ?? null) ? $results : throw UnableToReadResults::notOurs($path);
    }

    private function what(): string
    {
        $what = 'The path of an article that looked for a bottleneck for four days, on one machine: the same load on each stage, and the doctor, which gets nothing but the address.';
        $given = $this->results['parts']['stages']['figures'] ?? $this->results['parts']['fixes']['figures'] ?? null;

        return $given === null ? $what : $what.sprintf(' %s requests of %d users, each given up after %d s. Redis is %s ms away, and a new connection costs it %s ms in the mean.', number_format($given['samples']), $given['users'], $given['limit_s'], $given['line']['round_trip_ms'], $given['line']['connection_ms']);
    }

    /** @return list<Section> */
    private function warnings(): array
    {
        return ($this->results['quick'] ?? false) !== true ? [] : [new Section('quick', 'A quick run', [new Words('It shows that everything works; its figures are no results.', Tone::Alert)], Tone::Alert)];
    }

    /** @return list<Section> */
    private function stages(): array
    {
        $rows = $this->results['parts']['stages']['figures']['stages'] ?? [];

        if ($rows === []) {
            return [self::missing('stages', 'The stages')];
        }

        return [
            (new Overview($rows))->section(),
            ...array_map(static fn (array $row, int $at): Section => (new StageSection($at + 1, Stage::from($row['stage']), $row))->section(), $rows, array_keys($rows)),
        ];
    }

    /** @return list<Section> */
    private function mended(): array
    {
        $rows = $this->results['parts']['fixes']['figures']['mended'] ?? [];

        return $rows === [] ? [self::missing('fixes', 'The fixes')] : array_map(static fn (array $row): Section => (new MendedSection($row))->section(), $rows);
    }

    private static function missing(string $part, string $title): Section
    {
        return new Section($part, $title, [new Words("{$title} were not measured. `PART={$part} make bench-bottleneck` measures them.", Tone::Alert)], Tone::Alert);
    }
}
