<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Benchmarks\Html;
use RuntimeException;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    private const STYLE = __DIR__.'/../../report.css';

    public function __construct(private ResultsFile $results) {}

    /**
     * Makes collector.html of collector.json.
     *
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $results): string
    {
        $html = (string) (new self(ResultsFile::read($results)))->draw();
        $path = preg_replace('/\.json\z/', '', $results).'.html';

        return @file_put_contents($path, $html) === strlen($html) ? $path : throw new RuntimeException("{$path} could not be written.");
    }

    public function draw(): Html
    {
        $css = (string) file_get_contents(self::STYLE);
        $table = new AimsTable($this->results);

        return Html::together(Html::doctype(), Html::element('html', ['lang' => 'en'],
            Html::element('head', [],
                Html::element('meta', ['charset' => 'utf-8']),
                // Whatever got into the results, nothing runs and nothing is asked for.
                Html::element('meta', ['http-equiv' => 'Content-Security-Policy', 'content' => "default-src 'none'; img-src data:; style-src 'sha256-".base64_encode(hash('sha256', $css, true))."'; base-uri 'none'; form-action 'none'"]),
                Html::element('meta', ['name' => 'viewport', 'content' => 'width=device-width, initial-scale=1']),
                Html::element('meta', ['name' => 'color-scheme', 'content' => 'light dark']),
                Html::element('title', [], 'Collector benchmark'),
                Html::element('link', ['rel' => 'icon', 'href' => 'data:,']),
                Html::style($css),
            ),
            Html::element('body', [], $this->header(), Html::element('main', [], $table->summary(), ...[...$this->scenarios(), $this->howToRead(), $table->draw(), $this->machines()]), $this->footer()),
        ), "\n");
    }

    private function header(): Html
    {
        return Html::element('header', [],
            Html::element('h1', [], 'Collector benchmark'),
            Html::element('p', [], 'Stack X, four workers of the collector behind nginx, against stack A, nginx and PHP-FPM with 16 workers and scripts without a framework. Three scenarios, users from 100 to 1,000, each with a request a second; then what the collector promises, part by part.'),
            ...($this->results->isQuick ? [Html::element('p', ['class' => 'missing'], 'A quick run: its rounds are few and short. It shows that everything works; its figures are no results.')] : []),
        );
    }

    /** @return list<Html> */
    private function scenarios(): array
    {
        $figures = $this->results->part(Part::Figures);

        return array_map(static fn (Scenario $scenario): Html => (new ScenarioCharts($scenario, [
            'x' => $figures?->steps("{$scenario->value}_x") ?? [],
            'a' => $figures?->steps("{$scenario->value}_a") ?? [],
        ]))->draw(), Scenario::cases());
    }

    private function howToRead(): Html
    {
        $figures = $this->results->part(Part::Figures);

        return Html::element('section', ['id' => 'reading'],
            Html::element('h2', [], 'How to read the charts'),
            Html::element('ul', [],
                Html::element('li', [], 'The bands are the steps, with their users above them and seconds below. A point is a whole step and stands in its middle. One stack is measured after the other, on the same machine, which the client shares.'),
                Html::element('li', [], 'A user pauses for a second on average, asks, and waits for the answer; whoever waits longer asks less often.'),
                Html::element('li', [], 'A cross is a step with errors: refusals, connections that broke, requests without an answer within 60 s. Refusals are not among the requests/s.'),
                Html::element('li', [], 'Response times are those of the answers that came before the end of their step: who still waits then is not in them, so that an overloaded stack looks better than it is. A refusal counts as an answer; where half of the answers or more are refusals there is no time, and a gap in the line.'),
            ),
            ...($figures === null ? [] : [Html::element('p', [], Html::element('small', [], "The charts: commit {$figures->machine('commit')}, {$figures->machine('date')}, {$figures->machine('cpu')}, {$figures->machine('cores')} cores, PHP {$figures->machine('php')}."))]),
        );
    }

    private function machines(): Html
    {
        $machines = [];

        foreach ($this->results->measured() as $part) {
            $ini = array_filter($part->settings(), static fn (string $value): bool => $value !== '');
            $words = "{$part->machine('cpu')}, {$part->machine('cores')} cores, {$part->machine('memory_mb')} MB, {$part->machine('kernel')}, PHP {$part->machine('php')}; of the client's PHP: ".implode(', ', array_map(static fn (string $key, string $value): string => "{$key} = {$value}", array_keys($ini), $ini));
            $machines[$words][] = "{$part->name} ({$part->machine('commit')}, {$part->machine('date')})";
        }

        return Html::element('section', ['id' => 'machines'],
            Html::element('h2', [], 'Machine, commit and date of each part'),
            Html::element('dl', [], ...array_map(static fn (string $words, array $parts): Html => Html::together(Html::element('dt', [], $words), Html::element('dd', [], implode('; ', $parts))), array_map(strval(...), array_keys($machines)), $machines)),
        );
    }

    private function footer(): Html
    {
        return Html::element('footer', [], Html::element('p', [], "Made of {$this->results->name} by ", Html::element('code', [], 'php benchmarks/collector/report.php'), '. What is measured, and how: benchmarks/collector/README.md.'));
    }
}
