<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\IndexResults;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The page of all experiments as somebody opens it: from the disk, in a browser.
 */
final class IndexPageTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('index');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function each_articles_figure_is_read_with_ours_beside_it(): void
    {
        IndexResults::whole()->write($this->directory->path);
        $seen = Browser::look("file://{$this->made()}", [['page' => 'seen']]);
        $page = $seen['pages']['seen'];
        $tables = $page['tables'];

        // Nothing is asked for but the page.
        self::assertSame([[], [], ["file://{$this->directory->path}/index.html"], 0], [$seen['errors'], $seen['elsewhere'], $seen['requests'], $page['foreign']]);
        self::assertSame(['1. A write buffer', '95 requests/s synchronous, 820 buffered: 8.63x', '111/s synchronous, 555/s buffered: 5.50x'], array_slice($tables['articles'][0][1], 0, 3));
        self::assertStringStartsWith('5.50x where the article has 8.63x', $tables['articles'][0][1][3]);
        self::assertSame(['almost 4 days to the cause; errors 50.51 %, then 0.03 %', '24.7 s to the cause; errors 47.0 %, then 0.2 %'], array_slice($tables['articles'][0][2], 1, 2));
        self::assertStringStartsWith('~95/s', $tables['write-buffer'][0][1][1]);
        self::assertStringStartsWith('555/s', $tables['write-buffer'][0][1][5]);
        self::assertSame(['50.51 % 1,750 samples, 350 users', '9,929 ms', '47.0 % 1,750 requests'], array_slice($tables['bottleneck'][0][1], 1, 3));
        self::assertSame(['Beanstalkd', '1,109.83', '2,600.96', '9,502/s 9,492/s to 9,512/s', '3.65x'], array_slice($tables['queues'][0][1], 0, 5));
        self::assertSame([['queue', 'jobs', 'ran', 'ran twice', 'never ran', 'given up as failed'], ['redis, --tries=3', '5', '17', '6', '1', '2']], array_slice($tables['queues'][1], 0, 2));
        self::assertSame([['queue', 'until it begins: p50', 'p99', 'valid runs', 'lost, double'], ['redis, block_for 5', '3.21 ms', '5.43 ms', '3 of 3', '0, 0']], $tables['queues'][2]);
        self::assertSame(['Hot files preload (#4)', '25.16', '198 ms', '1.16x', 'hot'], array_slice($tables['preload'][0][5], 0, 5));
        self::assertStringStartsWith('2.05x', $tables['preload'][0][5][5]);
        self::assertSame(['60 s on average, then no response', '2.00 s p95 4.00 s, 970/s', 'nobody answered 11,181 refused'], array_slice($tables['collector'][0][3], 2, 3));
    }

    #[Test]
    public function the_charts_have_the_articles_figures_and_ours(): void
    {
        IndexResults::whole()->write($this->directory->path);
        $figures = Browser::look("file://{$this->made()}", [['page' => 'seen']])['pages']['seen']['figures'];

        self::assertSame(['write-buffer-rates', 'bottleneck-errors', 'queues-jobs', 'preload-ratios', 'collector-slow'], array_keys($figures));

        foreach ($figures as $id => $figure) {
            self::assertGreaterThan(300, $figure['ink'], $id);
        }

        self::assertSame([95, 111, 222, 112, 113, 265, 284], $figures['write-buffer-rates']['drawn']['bar synchronous']);
        self::assertSame([0.5051, null, 0.8486, 0.4867, 0.1527, null, 0.0003], $figures['bottleneck-errors']['drawn']['bar the article']);
        self::assertSame([0.47, 0.48, 0.79, 0.51, 0.52, 0.001, 0.002], $figures['bottleneck-errors']['drawn']['bar here']);
        self::assertContains([2600.96, 0], $figures['queues-jobs']['drawn']['scatter C4.large, the article']);
        self::assertEquals([100, 5389], $figures['collector-slow']['drawn']['line stack A, PHP-FPM'][0]);
    }

    #[Test]
    #[TestWith([1280, true])]
    #[TestWith([360, false])]
    public function it_is_read_in_the_dark_and_on_a_phone(int $width, bool $isDark): void
    {
        IndexResults::whole()->without('queues', 'durability')->write($this->directory->path);
        $page = Browser::look("file://{$this->made()}", [['page' => 'seen']], $width, $isDark)['pages']['seen'];

        self::assertSame([0, [], $isDark ? 'rgb(18, 21, 27)' : 'rgb(246, 247, 249)'], [$page['overflow'], $page['faint'], $page['background']]);
        self::assertStringContainsString('not measured PART=empty make bench-queues', implode("\n", $page['tables']['queues'][0][1]));
    }

    #[Test]
    public function a_link_leads_to_a_section_or_to_a_page_beside_it(): void
    {
        IndexResults::whole()->write($this->directory->path);
        $page = Browser::look("file://{$this->made()}", [['page' => 'seen']])['pages']['seen'];
        $links = array_column($page['links'], 1);

        self::assertSame(['#write-buffer', '#bottleneck', '#queues', '#preload', '#collector', '#besides', 'bottleneck.html', 'queues.html', 'preload.html', 'collector.html'], $links);
        self::assertSame([], array_diff(array_map(static fn (string $link): string => substr($link, 1), array_slice($links, 0, 6)), array_keys($page['sections'])));
    }

    #[Test]
    public function a_broken_file_is_named_and_no_page_is_written(): void
    {
        file_put_contents("{$this->directory->path}/load.json", '[]');
        $process = $this->process($this->directory->path);

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString('load.json is not what make bench-load writes', $process->getErrorOutput());
        self::assertFileDoesNotExist("{$this->directory->path}/index.html");
        self::assertSame(2, $this->process('--slow')->getExitCode());
    }

    private function made(): string
    {
        $process = $this->process($this->directory->path);
        self::assertSame([0, "{$this->directory->path}/index.html\n"], [$process->getExitCode(), $process->getOutput()], $process->getErrorOutput());

        return trim($process->getOutput());
    }

    private function process(string $argument): Process
    {
        $process = new Process([PHP_BINARY, dirname(__DIR__, 3).'/benchmarks/index/report.php', $argument], env: ['QUICK' => false]);
        $process->run();

        return $process;
    }
}
