<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use ErrorException;
use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\Bottleneck\Report\Page as BottleneckPage;
use Headroom\Benchmarks\Collector\Report\Page as CollectorPage;
use Headroom\Benchmarks\Collector\Report\ResultsFile as CollectorFile;
use Headroom\Benchmarks\Index\IndexPage;
use Headroom\Benchmarks\Preload\Report\Page as PreloadPage;
use Headroom\Benchmarks\Preload\Report\ResultsFile as PreloadFile;
use Headroom\Benchmarks\Queues\QueueReport;
use Headroom\Host\TemporaryDirectory;
use Headroom\Report\Page\Page;
use Headroom\Tests\Support\BottleneckResults;
use Headroom\Tests\Support\CollectorResults;
use Headroom\Tests\Support\Edits;
use Headroom\Tests\Support\IndexResults;
use Headroom\Tests\Support\PreloadResults;
use Headroom\Tests\Support\QueueResults;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Throwable;

/**
 * Results that somebody edited, or that another version wrote, are a page or a line that says where they are wrong; whatever it is.
 */
final class EditedResultsTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('edited');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    #[DataProvider('documents')]
    public function each_edit_is_a_page_or_a_line_that_names_its_place(string $experiment, string $json): void
    {
        $this->assertEach($experiment, $json, $this->report(...));
    }

    #[Test]
    #[DataProvider('indexed')]
    public function each_edit_is_a_page_of_all_experiments_or_a_line_that_names_its_place(string $experiment): void
    {
        IndexResults::whole()->write($this->directory->path);

        $this->assertEach($experiment, (string) file_get_contents($this->directory->file("{$experiment}.json")), fn (): Page => (new IndexPage($this->directory->path, false))->page());
    }

    /** @return iterable<string, array{string, string}> */
    public static function documents(): iterable
    {
        yield 'queues' => ['queues', Edits::json(QueueResults::whole())];
        yield 'bottleneck' => ['bottleneck', BottleneckResults::whole()->json()];
        yield 'preload' => ['preload', PreloadResults::whole()->json()];
        yield 'collector' => ['collector', CollectorResults::whole()->without('slow', 'durable', 'drain', 'down', 'connections', 'lane', 'soak', 'outage')->json()];
    }

    /** @return iterable<string, array{string}> */
    public static function indexed(): iterable
    {
        foreach (['write-buffer', 'bottleneck', 'queues', 'preload', 'collector', 'load', 'logs', 'durability', 'torture'] as $experiment) {
            yield $experiment => [$experiment];
        }
    }

    /** @param callable(string, string): Page $page of an experiment and its file */
    private function assertEach(string $experiment, string $json, callable $page): void
    {
        $document = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);
        $file = $this->directory->write("{$experiment}.json", $json);
        self::assertStringContainsString('page_data', $page($experiment, $file)->html());
        $wrong = [];
        $counts = ['pages' => 0, 'lines' => 0];
        set_error_handler(static fn (int $level, string $message, string $in, int $line): never => throw new ErrorException($message, 0, $level, $in, $line));

        try {
            foreach (Edits::of($document) as $edit => $edited) {
                file_put_contents($file, $edited);
                $wrong = [...$wrong, ...self::wrong($edit, $experiment, $file, $page, $counts)];
            }
        } finally {
            restore_error_handler();
        }

        self::assertSame([], array_slice($wrong, 0, 20), count($wrong).' in all');
        self::assertGreaterThan(50, $counts['lines']);
        self::assertGreaterThan(5, $counts['pages']);
    }

    /**
     * @param callable(string, string): Page $page
     * @param array{pages: int, lines: int} $counts
     * @return list<string>
     */
    private static function wrong(string $edit, string $experiment, string $file, callable $page, array &$counts): array
    {
        $make = 'make '.($experiment === 'torture' ? '' : 'bench-').$experiment;

        try {
            // All of what Page::html() does with it, but for the library around it, which takes most of the time.
            json_encode($page($experiment, $file)->toArray(), JSON_THROW_ON_ERROR);
            $counts['pages']++;

            return [];
        } catch (UnableToReadResults $e) {
            $counts['lines']++;
            $isNamed = preg_match('~^'.preg_quote($file, '~').'(: \S.* is .+, where .+ is wanted\. Measure it again: (QUICK=1 )?(PART=[a-z-]+ )?| is not what (QUICK=1 )?'.$make.' writes: .+ )'.$make.'$~', $e->getMessage()) === 1;

            return $isNamed ? [] : ["{$edit}: {$e->getMessage()}"];
        } catch (Throwable $e) {
            return ["{$edit}: ".$e::class." {$e->getMessage()} at ".basename($e->getFile()).":{$e->getLine()}"];
        }
    }

    private function report(string $experiment, string $file): Page
    {
        return match ($experiment) {
            'queues' => QueueReport::of(ResultsText::read($file, 'queues')),
            'bottleneck' => BottleneckPage::of($file)->page(),
            'preload' => (new PreloadPage(PreloadFile::read($file)))->page(),
            default => (new CollectorPage(CollectorFile::read($file)))->page(),
        };
    }
}
