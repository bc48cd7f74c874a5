<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Index;

use Headroom\Bench\Queues\Scenario;
use Headroom\Benchmarks\Index\IndexPage;
use Headroom\Benchmarks\Index\UnableToReadResults;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Support\IndexResults;
use Headroom\Tests\Support\PageWords;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

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
    public function each_article_has_a_row_with_its_figure_and_ours(): void
    {
        $first = $this->section('articles', IndexResults::whole());

        self::assertStringContainsString('|1. A write buffer <#write-buffer>|95 requests/s synchronous, 820 buffered: 8.63x|111/s synchronous, 555/s buffered: 5.50x|5.50x where the article has 8.63x (aim 8.63x: missed)!|', $first);
        self::assertStringContainsString('|2. Finding the bottleneck <#bottleneck>|almost 4 days to the cause; errors 50.51 %, then 0.03 %|24.7 s to the cause; errors 47.0 %, then 0.2 %|5 of 5 causes named, 0 false alarms (aim all and none: reached)|', $first);
        self::assertStringContainsString('|beanstalkd 9,502/s, Redis 5,201/s, MariaDB 983/s, PostgreSQL 1,104/s|3.65x, 2.73x, 2.17x, 4.04x (aim every run valid, 0 lost, 0 double: reached)|', $first);
        self::assertStringContainsString('|21.78 requests/s, 25.16 with hot files (1.16x), 26.54 at best (1.22x)|hot files, requests/s to plain: json 2.05x, blade 1.95x|1.95x at the page that gains least, where the article has 1.16x (aim 1.90x, our own and no figure of the article: reached)|', $first);
        self::assertStringContainsString('|event loop 2.00 s, PHP-FPM nobody answered, 11,181 refused|98.7 % of the answers that are possible (aim 95.0 %: reached)|', $first);
    }

    #[Test]
    public function every_row_of_the_write_buffers_table_has_ours_beside_it(): void
    {
        $section = $this->section('write-buffer', IndexResults::whole());

        self::assertStringContainsString('|Requests per second|~95/s|~820/s|8.63x|111/s (99.9/s to 133/s)|555/s (500/s to 666/s)|5.50x (4.95x to 6.60x; aim 8.63x, missed)!|', $section);
        self::assertStringContainsString('|p50 latency|210 ms|8 ms|26.3x|901 ms (811 ms to 1.08 s)|180 ms (162 ms to 216 ms)|5.51x', $section);
        self::assertStringContainsString('|p95 latency|820 ms|31 ms|26.5x|1.80 s', $section);
        self::assertStringContainsString('|Error rate|0.0 %|0.0 %|–|0 (errors)|0 (errors)|– (29,419 acknowledged, 0 lost, 0 double)|', $section);
    }

    #[Test]
    public function every_stage_of_the_second_article_has_ours_beside_it(): void
    {
        $section = $this->section('bottleneck', IndexResults::whole());

        foreach ([
            '|Baseline|50.51 % (1,750 samples, 350 users)|9,929 ms|47.0 % (1,750 requests)|7.19 s (p95 8.00 s)|20.3 %|85.8/s|named what is wrong at baseline (right)|',
            '|nginx keeps connections, 40 processes|84.86 % (1,750 samples, 350 users)|566 ms|79.0 %',
            '|Larger backlog and limits|48.67 % (7,000 cycles)|7,917 ms|51.0 %',
            '|More CPU|15.27 % (roughly 6,000 samples; 2 cores to 8)|12,350 ms|52.0 %',
            '|Persistent connections to Redis|0.03 % (of this or of the one before, the text leaves open)|3,730 ms|0.2 %',
            '|Clients of Redis, persistent|roughly doubled|23, then 23|',
        ] as $row) {
            self::assertStringContainsString($row, $section);
        }
    }

    #[Test]
    public function both_tables_of_queues_stand_beside_ours(): void
    {
        $section = $this->section('queues', IndexResults::whole());

        foreach ([
            '|Beanstalkd|1,109.83|2,600.96|9,502/s (9,492/s to 9,512/s)|3.65x|3 of 3|0, 0|3.0 %|on disk when it is queued (A server 7)|',
            '|Redis|872.47|1,905.53|5,201/s',
            '|DB-mysql; here MariaDB|190.47|452.04|983/s',
            '|DB-pgsql|206.39|273.13|1,104/s',
            '|SQLite, one worker|–|–|705/s (695/s to 715/s)|–|3 of 3|',
            '|Cache store of the workers|redis, array|5,302/s',
            '|redis|1.01x (0.980x to 1.03x)|yes|no|',
            '|Sizes of the payload|each queue|not measured (PART=payload make bench-queues)|–|–|',
        ] as $row) {
            self::assertStringContainsString($row, $section);
        }
    }

    /** What is asked there is what becomes of jobs, and how long they wait: a rate would be none. */
    #[Test]
    public function slow_jobs_have_fates_and_single_ones_a_wait(): void
    {
        $section = $this->section('queues', IndexResults::whole());

        foreach ([
            "A job longer than retry_after\n|redis, --tries=3|5|17|6|1|2|",
            '|database:sqlite, --tries=3, one worker|5|5|0|0|0|',
            "Single jobs, while all workers are idle\n|redis, block_for 5|3.21 ms|5.43 ms|3 of 3|0, 0|",
        ] as $row) {
            self::assertStringContainsString($row, $section);
        }
    }

    #[Test]
    public function slow_jobs_of_a_queue_that_was_refused_have_no_fates(): void
    {
        $gone = IndexResults::whole()->with('queues', ['parts', 'slow', 'figures', 'findings', 0, 'refused'], 'redis: gone');
        $none = IndexResults::whole()->with('queues', ['parts', 'arrivals', 'figures', 'findings', 0, 'wait_ms'], null);

        self::assertStringContainsString('|redis, --tries=3|not measured (redis: gone)!|–|–|–|–|', $this->section('queues', $gone));
        self::assertStringContainsString('|redis, block_for 5|no run was valid!|–|3 of 3|', $this->section('queues', $none));
    }

    /** What is measured without a page of its own would be known to nobody. */
    #[Test]
    public function every_scenario_has_its_place(): void
    {
        $section = $this->section('queues', IndexResults::whole()->with('queues', ['parts'], []));

        foreach (Scenario::cases() as $scenario) {
            self::assertStringContainsString("PART={$scenario->value} make bench-queues", $section);
        }
    }

    #[Test]
    public function thousands_are_apart_in_every_word(): void
    {
        IndexResults::whole()->write($this->directory->path);
        preg_match_all('~(?<![\w.,:/-])\d{4,}(?:\.\d+)?(?![\w:-])~', PageWords::of((new IndexPage($this->directory->path, false))->page()), $found);

        // Years.
        self::assertSame([], array_values(array_diff(array_unique($found[0]), ['2020'])));
    }

    #[Test]
    #[TestWith(['write-buffer'])]
    #[TestWith(['bottleneck'])]
    #[TestWith(['queues'])]
    #[TestWith(['preload'])]
    #[TestWith(['collector'])]
    public function it_lasts_as_long_as_the_experiments_own_page_says(string $experiment): void
    {
        $section = $this->section($experiment, IndexResults::whole());
        $readme = (string) file_get_contents(dirname(__DIR__, 4)."/benchmarks/{$experiment}/README.md");
        // Behind the first words each says what else is particular.
        $takes = static fn (string $text, string $quick): string => preg_match("~(?<!\\S){$quick}make bench-{$experiment} +# ([^,:;\n]+)~", $text, $found) === 1 ? $found[1] : self::fail("bench-{$experiment} is not there.");

        foreach (['', 'QUICK=1 '] as $quick) {
            self::assertSame($takes($readme, $quick), $takes($section, $quick));
        }
    }

    #[Test]
    public function every_list_of_the_fourth_article_has_ours_beside_it(): void
    {
        $section = $this->section('preload', IndexResults::whole());

        foreach ([
            '|No preload|21.78|229 ms|1.00x|plain|1.00x (550/s)|1.00x (500/s)|663|0|',
            '|Naive preload (#1)|25.03|199 ms|1.15x|laravel|1.62x (1.60x to 1.65x; 810/s)|1.52x',
            '|Refined preload (#2)|25.22|198 ms|1.16x|refined|',
            '|Refined preload + vendors (#3)|26.54|188 ms|1.22x|vendors|',
            '|Hot files preload (#4)|25.16|198 ms|1.16x|hot|',
            '|Hot files Laravel preload (#5)|25.03|199 ms|1.15x|hot-laravel|',
            '|Staging: no preload|12.22|409 ms||not measured (no such servers here)|',
            '|Staging: preload|13.51|370 ms|1.11x|not measured',
            '|none, optimised autoloader (only here)|–|–|–|-o|no difference seen (1.41x to 1.46x; 715/s)|',
            '|3!|',
        ] as $row) {
            self::assertStringContainsString($row, $section);
        }
    }

    #[Test]
    public function who_was_not_answered_has_no_response_time(): void
    {
        $section = $this->section('collector', IndexResults::whole());

        self::assertStringContainsString('|Third party of 2 s, 100 users (figures 3 and 4)|2 s on average|40 s on average|2.00 s (p95 4.00 s, 97.0/s)|5.39 s', $section);
        self::assertStringContainsString('|Third party of 2 s, 1,000 users (figures 5 and 6)|2 s on average|60 s on average, then no response|2.00 s (p95 4.00 s, 970/s)|nobody answered (11,181 refused)!|', $section);
        self::assertStringContainsString('|A payload is logged, 1,000 users (figures 7 and 8)|around 10 ms|stops handling requests|730 us', $section);
        self::assertStringContainsString('stack A, PHP-FPM 5.39 s.', $section);
    }

    #[Test]
    public function what_no_article_has_is_in_small_tables(): void
    {
        $section = $this->section('besides', IndexResults::whole());

        self::assertStringContainsString('|headroom load, 1 process|65,001/s (58,501/s to 78,001/s)|65,001/s', $section);
        self::assertStringContainsString('|hey|not measured (not installed)|', $section);
        self::assertStringContainsString('|slow log of PHP-FPM|211 (190 to 253)|', $section);
        self::assertStringContainsString('|power: synced each time|7.91 us (p99 66.3 us)|', $section);
        self::assertStringContainsString('|SQLite|2,302,782|1,498|761|1,094|0|0|', $section);
    }

    /** Never 0, and never an empty page. */
    #[Test]
    public function without_any_results_it_says_what_would_make_each(): void
    {
        $words = PageWords::of((new IndexPage($this->directory->path, false))->page());

        foreach (['PART=contended make bench-write-buffer', 'PART=stages make bench-bottleneck', 'PART=empty make bench-queues', 'make bench-preload', 'PART=figures,slow make bench-collector', 'make bench-load', 'make bench-logs', 'make bench-durability', 'make torture'] as $command) {
            self::assertStringContainsString($command, $words);
        }

        foreach (['|~95/s|~820/s|8.63x|not measured', '|50.51 % (1,750 samples, 350 users)|9,929 ms|not measured', '|1,109.83|2,600.96|not measured', '|25.03|199 ms|1.15x|not measured', '|60 s on average, then no response|not measured'] as $row) {
            self::assertStringContainsString($row, $words);
        }

        self::assertDoesNotMatchRegularExpression('~\|0(?:\||/s| ms| us| \(|x)~', $words);
        self::assertStringNotContainsString('.html', $words);
    }

    #[Test]
    public function a_quick_page_is_made_of_quick_results_and_says_so(): void
    {
        IndexResults::whole()->without('queues')->write($this->directory->path, true);
        $path = (new IndexPage($this->directory->path, true))->write();
        $words = PageWords::of((new IndexPage($this->directory->path, true))->page());

        self::assertSame("{$this->directory->path}/index-quick.html", $path);
        self::assertFileDoesNotExist("{$this->directory->path}/index.html");
        self::assertStringContainsString('A quick run', $words);
        self::assertStringContainsString('not measured (QUICK=1 PART=empty make bench-queues)', $words);
        self::assertStringContainsString('<collector-quick.html>', $words);
        self::assertStringContainsString('|not measured (PART=contended make bench-write-buffer)|', PageWords::of((new IndexPage($this->directory->path, false))->page()));
    }

    #[Test]
    public function the_same_results_make_the_same_page(): void
    {
        IndexResults::whole()->write($this->directory->path);
        $one = (string) file_get_contents((new IndexPage($this->directory->path, false))->write());

        self::assertSame(md5($one), md5((string) file_get_contents((new IndexPage($this->directory->path, false))->write())));
    }

    #[Test]
    public function machine_commit_and_date_stand_with_each_part(): void
    {
        $words = $this->section('collector', IndexResults::whole()->with('collector', ['parts', 'slow', 'machine', 'commit'], 'fed9876')->with('collector', ['parts', 'slow', 'machine', 'cores'], 16));

        self::assertStringContainsString('|figures|abc1234|2026-01-02T03:04:05Z|A processor, 2 cores, 4,096 MB, Linux 6.1, PHP 8.2.0 cli NTS|', $words);
        self::assertStringContainsString('|slow|fed9876|2026-01-02T03:04:05Z|A processor, 16 cores,', $words);
    }

    #[Test]
    public function a_queue_without_a_valid_run_has_no_figure(): void
    {
        $results = IndexResults::whole();

        foreach (['jobs_per_s' => null, 'p25' => null, 'p75' => null, 'iqr_share' => null, 'valid_runs' => 0, 'lost' => 7, 'outcomes' => [['jobs_per_s' => 9999.0, 'valid' => false]]] as $key => $value) {
            $results = $results->with('queues', ['parts', 'empty', 'figures', 'findings', 0, $key], $value);
        }

        self::assertStringContainsString('|Redis|872.47|1,905.53|no run was valid!|–|0 of 3!|7, 0!|–|on disk when it is queued (A server 7)|', $this->section('queues', $results));
        self::assertStringContainsString('Redis no run was valid (C4.large, the article: 1,906/s)', $this->section('queues', $results));
        self::assertStringContainsString('Redis no valid run, MariaDB 983/s', $this->section('articles', $results));
        self::assertStringContainsString('0 lost, 0 double: missed)!', $this->section('articles', $results));
    }

    #[Test]
    public function a_queue_that_was_refused_says_why(): void
    {
        $results = IndexResults::whole()->with('queues', ['parts', 'empty', 'figures', 'findings', 1, 'refused'], 'The server is away.');

        foreach (['jobs_per_s' => null, 'p25' => null, 'p75' => null, 'runs' => 0, 'valid_runs' => 0, 'outcomes' => []] as $key => $value) {
            $results = $results->with('queues', ['parts', 'empty', 'figures', 'findings', 1, $key], $value);
        }

        self::assertStringContainsString('|Beanstalkd|1,109.83|2,600.96|no run was valid (The server is away.)!|', $this->section('queues', $results));
        self::assertStringContainsString('0 lost, 0 double: missed)!', $this->section('articles', $results));
    }

    /** @param list<string|int> $path */
    #[Test]
    #[DataProvider('broken')]
    public function what_is_missing_in_a_file_is_named_with_its_path(string $experiment, array $path, mixed $value, string $message): void
    {
        IndexResults::whole()->with($experiment, $path, $value)->write($this->directory->path);

        $this->expectException(UnableToReadResults::class);
        $this->expectExceptionMessage($message);
        (new IndexPage($this->directory->path, false))->page();
    }

    /** @return iterable<string, array{string, list<string|int>, mixed, string}> */
    public static function broken(): iterable
    {
        yield 'no table' => ['write-buffer', ['parts', 'contended', 'figures', 'c'], null, 'write-buffer.json/parts/contended/figures/c is no table.'];
        yield 'no number' => ['write-buffer', ['parts', 'contended', 'figures', 'c', 'buffered_vs_sync', 'median'], 'much', 'write-buffer.json/parts/contended/figures/c/buffered_vs_sync/median is no number.'];
        yield 'not finite' => ['load', ['result', 'percentile_error'], null, 'load.json/result/percentile_error is no number.'];
        yield 'no text' => ['bottleneck', ['parts', 'stages', 'figures', 'stages', 0, 'judged', 'words'], [], 'bottleneck.json/parts/stages/figures/stages/0/judged/words is no text.'];
        yield 'no boolean' => ['preload', ['parts', 'strategies', 'figures', 'findings', 3, 'rates_to_plain', 'GET /pages/json', 'seen'], 'yes', 'is no true or false.'];
        yield 'no machine' => ['collector', ['parts', 'slow', 'machine'], null, 'collector.json/parts/slow/machine is no table.'];
        yield 'of another experiment' => ['queues', ['experiment'], 'preload', "queues.json is not what the experiment 'queues' writes"];
    }

    #[Test]
    public function a_file_that_is_no_json_is_named(): void
    {
        file_put_contents("{$this->directory->path}/logs.json", '{"experiment"');

        $this->expectExceptionObject(UnableToReadResults::notOurs('logs.json', 'logs'));
        (new IndexPage($this->directory->path, false))->page();
    }

    private function section(string $id, IndexResults $results): string
    {
        $results->write($this->directory->path);

        return PageWords::section((new IndexPage($this->directory->path, false))->page(), $id);
    }
}
