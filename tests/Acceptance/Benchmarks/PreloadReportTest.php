<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\PreloadResults;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The report as somebody opens it: from the disk, in a browser.
 */
final class PreloadReportTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('report');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    #[TestWith([1280, false, 'rgb(246, 247, 249)'])]
    #[TestWith([1280, true, 'rgb(18, 21, 27)'])]
    #[TestWith([700, false, 'rgb(246, 247, 249)'])]
    #[TestWith([390, false, 'rgb(246, 247, 249)'])]
    #[TestWith([360, true, 'rgb(18, 21, 27)'])]
    public function the_charts_are_there_by_day_and_by_night_and_on_a_phone(int $width, bool $dark, string $background): void
    {
        $page = $this->report(PreloadResults::whole()->json());
        $seen = Browser::look("file://{$page}", [['page' => 'first']], $width, $dark);
        $first = $seen['pages']['first'];
        $figures = $first['figures'];

        self::assertSame([[], ["file://{$page}"]], [$seen['errors'], array_values(array_diff($seen['requests'], ['data:,']))]);
        self::assertSame([$background, 0, [], 0], [$first['background'], $first['overflow'], $first['faint'], $first['foreign']]);
        self::assertSame(['rates', 'cpu-get-pages-json', 'cpu-get-pages-blade', 'cpu-get-pages-posts'], array_keys($figures));

        foreach ($figures as $id => $figure) {
            self::assertGreaterThan(290, $figure['width'], $id);
            self::assertLessThan($width, $figure['width'], $id);
            self::assertGreaterThan(300, $figure['ink'], $id);
        }
    }

    #[Test]
    public function the_numbers_are_drawn_and_told(): void
    {
        $results = PreloadResults::whole()->with('findings/7/costs/GET ~pages~json/cpu_ratio/ratio', 0.79)->with('findings/9/costs/GET ~pages~json/answers_otherwise', true);
        $seen = Browser::look('file://'.$this->report($results->json(isQuick: true)), [['page' => 'first']])['pages']['first'];
        ['rates' => $rates, 'cpu-get-pages-json' => $cpu] = $seen['figures'];

        // The twin, five lists, of which hot is the fourth, and the article's, which answers something else.
        self::assertSame([[0, 0], [-20, 1], [-20, 2], [-20, 3], [-21, 4], [-20, 5]], $cpu['drawn']['scatter median']);
        self::assertSame([-22, -22, -21, -17, -17], $cpu['drawn']['boxplot quartiles'][4]);
        self::assertSame(['hot', '-22.0 %', '-21.0 %', '-17.0 %', '-21.0 %'], $cpu['rows'][5]);
        self::assertSame(['article', '–', '–', '–', 'another answer'], $cpu['rows'][7]);
        self::assertStringContainsString('-o -a again: none seen; laravel: -20.0 %', (string) $cpu['label']);
        self::assertSame([['here', 'the article'], [1, null, null, 1.93]], [$rates['legend'], array_slice($rates['drawn']['bar here'], 0, 4)]);
        self::assertSame(['hot', '1.93x', '1.16x'], $rates['rows'][7]);

        self::assertSame(['hot', 'Hot files preload 25.16/s, 198 ms, 1.16x', '1.93x 1.91 to 1.96', '-21.0 % -22.0 to -17.0 %', '-20.0 % -22.0 to -17.0 %', '-20.0 % -22.0 to -17.0 %'], $seen['tables']['article'][0][7]);
        self::assertSame(['hot', '600', '601', '15.1', '28.8 25.9 to 34.6', '519 467 to 623', '79.5 71.6 to 95.4', '0.410x 0.39 to 0.44'], $seen['tables']['memory'][0][8]);
        self::assertSame(['article', '3', '2 2 made as traps', '–', '–'], $seen['tables']['breaks'][0][10]);
        self::assertSame(['result' => 'alert', 'breaks' => 'plain'], array_intersect_key($seen['sections'], ['result' => null, 'breaks' => null]));
        self::assertStringContainsString('its figures are no results', $seen['text']);
    }

    #[Test]
    public function words_without_an_end_do_not_hang_over(): void
    {
        $long = str_repeat('x', 400);
        $results = PreloadResults::whole()->with('refused', [$long => $long])->with('ini', [$long => $long])->with('findings/9/pages_changed', [$long]);
        $seen = Browser::look('file://'.$this->report($results->json(machine: ['commit' => $long, 'cpu' => "<img src='https://example.com/{$long}'>"])), [['page' => 'first']], 360);

        self::assertSame([[], [], 0, 0], [$seen['errors'], $seen['elsewhere'], $seen['pages']['first']['overflow'], $seen['pages']['first']['foreign']]);
    }

    #[Test]
    public function without_results_it_says_what_makes_them(): void
    {
        $process = self::made("{$this->directory->path}/nothing.json");

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString('make bench-preload', $process->getErrorOutput());
    }

    private function report(string $json): string
    {
        file_put_contents("{$this->directory->path}/results.json", $json);
        $process = self::made("{$this->directory->path}/results.json");
        self::assertSame([0, "{$this->directory->path}/results.html\n"], [$process->getExitCode(), $process->getOutput()], $process->getErrorOutput());

        return trim($process->getOutput());
    }

    private static function made(string $results): Process
    {
        $process = new Process([PHP_BINARY, dirname(__DIR__, 3).'/benchmarks/preload/report.php', $results]);
        $process->run();

        return $process;
    }
}
