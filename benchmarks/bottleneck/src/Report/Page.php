<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\Html;
use JsonException;
use RuntimeException;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    // The look of the other benchmarks' report.
    private const STYLE = __DIR__.'/../../../collector/report.css';

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
        $html = (string) self::of($results)->draw();
        $path = preg_replace('/\.json\z/', '', $results).'.html';

        return @file_put_contents($path, $html) === strlen($html) ? $path : throw new RuntimeException("{$path} could not be written.");
    }

    public function draw(): Html
    {
        $css = (string) file_get_contents(self::STYLE);

        return Html::together(Html::doctype(), Html::element('html', ['lang' => 'en'],
            Html::element('head', [],
                Html::element('meta', ['charset' => 'utf-8']),
                // Whatever got into the results, nothing runs and nothing is asked for.
                Html::element('meta', ['http-equiv' => 'Content-Security-Policy', 'content' => "default-src 'none'; img-src data:; style-src 'sha256-".base64_encode(hash('sha256', $css, true))."'; base-uri 'none'; form-action 'none'"]),
                Html::element('meta', ['name' => 'viewport', 'content' => 'width=device-width, initial-scale=1']),
                Html::element('meta', ['name' => 'color-scheme', 'content' => 'light dark']),
                Html::element('title', [], 'Bottleneck benchmark'),
                Html::element('link', ['rel' => 'icon', 'href' => 'data:,']),
                Html::style($css),
            ),
            Html::element('body', [], $this->header(), Html::element('main', [], ...$this->stages(), ...$this->mended(), ...$this->machines()), $this->footer()),
        ), "\n");
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

    private function header(): Html
    {
        $given = $this->results['parts']['stages']['figures'] ?? $this->results['parts']['fixes']['figures'] ?? null;

        return Html::element('header', [],
            Html::element('h1', [], 'Bottleneck benchmark'),
            Html::element('p', [], 'The path of an article that looked for a bottleneck for four days, on one machine: the same load on each stage, and the doctor, which gets nothing but the address.'),
            ...($given === null ? [] : [Html::element('p', [], sprintf('%s requests of %d users, each given up after %d s. Redis is %s ms away, and a new connection costs it %s ms in the mean.', number_format($given['samples']), $given['users'], $given['limit_s'], $given['line']['round_trip_ms'], $given['line']['connection_ms']))]),
            ...(($this->results['quick'] ?? false) === true ? [Html::element('p', ['class' => 'missing'], 'A quick run: it shows that everything works; its figures are no results.')] : []),
        );
    }

    /** @return list<Html> */
    private function stages(): array
    {
        $rows = $this->results['parts']['stages']['figures']['stages'] ?? [];

        if ($rows === []) {
            return [Html::element('section', [], Html::element('p', ['class' => 'missing'], 'The stages were not measured. PART=stages make bench-bottleneck measures them.'))];
        }

        return [
            Html::element('section', ['id' => 'stages'], Html::element('h2', [], 'The stages'), $this->table($rows)),
            ...array_map(static fn (array $row): Html => (new StageSection(Stage::from($row['stage']), $row))->draw(), $rows),
        ];
    }

    /** @param list<array<string, mixed>> $rows */
    private function table(array $rows): Html
    {
        $head = ['errors', 'mean', 'p95', 'Redis clients', 'new/s', 'CPUs busy', 'the doctor'];

        return Html::element('table', ['class' => 'numbers'],
            Html::element('thead', [], Html::element('tr', [], Html::element('th', ['scope' => 'col'], 'stage'), ...array_map(static fn (string $name): Html => Html::element('th', ['scope' => 'col'], $name), $head))),
            Html::element('tbody', [], ...array_map(static fn (array $row): Html => Html::element('tr', [],
                Html::element('th', ['scope' => 'row'], Stage::from($row['stage'])->title()),
                ...array_map(static fn (string $words): Html => Html::element('td', [], $words), [...Words::ofLoad($row['load']), ($row['judged']['right'] ? '✓ ' : '✗ ').$row['judged']['words']]),
            ), $rows)),
        );
    }

    /** @return list<Html> */
    private function mended(): array
    {
        $rows = $this->results['parts']['fixes']['figures']['mended'] ?? [];

        return $rows === [] ? [Html::element('section', [], Html::element('p', ['class' => 'missing'], 'The fixes were not measured. PART=fixes make bench-bottleneck measures them.'))] : array_map(static fn (array $row): Html => Html::element('section', ['class' => $row['fixed'] ? null : 'missed'],
            Html::element('h2', [], Stage::from($row['stage'])->title().', mended as printed: '.($row['fixed'] ? 'fixed' : 'not fixed')),
            ...array_map(static fn (array $step): Html => Html::together(
                Html::element('p', ['class' => 'lead'], "{$step['check']}: ".($step['trouble'] ?? $step['text'])),
                Html::element('ul', [], ...array_map(static fn (string $done): Html => Html::element('li', [], Html::element('code', [], $done)), $step['done'])),
                ...($step['load'] === null ? [] : [Html::element('p', [], 'Then: '.implode(', ', array_slice(Words::ofLoad($step['load']), 0, 3)).' (errors, mean, p95).')]),
            ), $row['steps']),
        ), $rows);
    }

    /** @return list<Html> */
    private function machines(): array
    {
        $lines = [];

        foreach ($this->results['parts'] as $name => $part) {
            $machine = $part['machine'];
            $lines[] = Html::element('li', [], "{$name}: commit {$machine['commit']}, {$machine['date']}, {$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']}");
        }

        return [Html::element('section', ['id' => 'machines'], Html::element('h2', [], 'Machine, commit and date of each part'), Html::element('ul', [], ...$lines))];
    }

    private function footer(): Html
    {
        return Html::element('footer', [], Html::element('p', [], 'Made by ', Html::element('code', [], 'php benchmarks/bottleneck/report.php'), '. What is measured, and how: benchmarks/bottleneck/README.md.'));
    }
}
