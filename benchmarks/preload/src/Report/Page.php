<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\PageFile;
use Headroom\Report\Page\Page as Document;

/**
 * The report of a results file: one document that asks nobody for anything. The same results make the same page.
 */
final readonly class Page
{
    public function __construct(private ResultsFile $results) {}

    /**
     * Makes preload.html of preload.json.
     *
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $results): string
    {
        return PageFile::beside($results, static fn (): string => (new self(ResultsFile::read($results)))->html());
    }

    public function html(): string
    {
        return $this->page()->html();
    }

    public function page(): Document
    {
        return new Document('Preload benchmark', $this->what(), [
            (new Verdict($this->results))->section(),
            (new ArticleTable($this->results))->section(),
            (new CpuCharts($this->results))->section(),
            (new Breakage($this->results))->section(),
            (new MemoryTable($this->results))->section(),
            ...(new Given($this->results))->sections(),
        ]);
    }

    private function what(): string
    {
        $pages = implode(', ', $this->results->pages());

        return 'What a list for opcache.preload is worth to a Laravel application in PHP-FPM:'
            ." the lists that headroom:preload makes and proves, and the one that an article's tool makes, in turns on"
            ." the same pages ({$pages}), against {$this->results->base()->name}, Composer's authoritative autoloader,"
            .' without preloading.';
    }
}
