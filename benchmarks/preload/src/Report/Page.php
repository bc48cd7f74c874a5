<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Html;
use RuntimeException;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    // The look of the other benchmarks' report, and what only this one has.
    private const STYLES = [__DIR__.'/../../../collector/report.css', __DIR__.'/../../report.css'];

    public function __construct(private ResultsFile $results) {}

    /**
     * Makes preload.html of preload.json.
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
        $css = implode('', array_map(static fn (string $file): string => (string) file_get_contents($file), self::STYLES));

        return Html::together(Html::doctype(), Html::element('html', ['lang' => 'en'],
            Html::element('head', [],
                Html::element('meta', ['charset' => 'utf-8']),
                // Whatever got into the results, nothing runs and nothing is asked for.
                Html::element('meta', ['http-equiv' => 'Content-Security-Policy', 'content' => "default-src 'none'; img-src data:; style-src 'sha256-".base64_encode(hash('sha256', $css, true))."'; base-uri 'none'; form-action 'none'"]),
                Html::element('meta', ['name' => 'viewport', 'content' => 'width=device-width, initial-scale=1']),
                Html::element('meta', ['name' => 'color-scheme', 'content' => 'light dark']),
                Html::element('title', [], 'Preload benchmark'),
                Html::element('link', ['rel' => 'icon', 'href' => 'data:,']),
                Html::style($css),
            ),
            Html::element('body', [], $this->header(), Html::element('main', [],
                (new ArticleTable($this->results))->draw(),
                (new CpuCharts($this->results))->draw(),
                (new MemoryTable($this->results))->draw(),
                (new Breakage($this->results))->draw(),
                (new Given($this->results))->draw(),
            ), $this->footer()),
        ), "\n");
    }

    private function header(): Html
    {
        $pages = implode(', ', $this->results->pages());

        return Html::element('header', [],
            Html::element('h1', [], 'Preload benchmark'),
            Html::element('p', [], "What a list for opcache.preload is worth to a Laravel application in PHP-FPM: the lists that headroom:preload makes and proves, and the one that an article's tool makes, in turns on the same pages ({$pages}), against ", Html::element('code', ['class' => 'name'], $this->results->base()->name), ", Composer's authoritative autoloader, without preloading."),
            ...($this->results->isQuick ? [Html::element('p', ['class' => 'missing'], 'A quick run: its rounds are few and short. It shows that everything works; its figures are no results.')] : []),
        );
    }

    private function footer(): Html
    {
        return Html::element('footer', [], Html::element('p', [], "Made of {$this->results->name} by ", Html::element('code', [], 'php benchmarks/preload/report.php'), '.'));
    }
}
