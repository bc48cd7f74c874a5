<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * The pages of the committed results in a browser, opened from the disk.
 */
final class ReportPagesTest extends DirectoryTestCase
{
    private const ROOT = __DIR__.'/../../..';

    /** @return array<int, array{string, int, bool, int}> */
    public static function sampledTheChartsAreDrawn(): array
    {
        return Sample::of([
            ['bottleneck', 1280, false, 15],
            ['queues', 360, true, 2],
            ['preload', 360, false, 4],
            ['collector', 1280, true, 7],
            ['write-buffer', 360, true, 1],
            ['index', 360, true, 4],
        ], 2);
    }

    #[Test, Group('day-3')]
    #[DataProvider('sampledTheChartsAreDrawn')]
    public function the_charts_are_drawn_by_day_and_by_night_and_on_a_phone(
        string $name,
        int $width,
        bool $dark,
        int $charts,
    ): void {
        $page = $this->made($name);
        $seen = Browser::look("file://{$page}", [['page' => 'first']], $width, $dark);
        $first = $seen['pages']['first'];

        self::assertSame(
            [[], ["file://{$page}"]],
            [$seen['errors'], array_values(array_diff($seen['requests'], ['data:,']))],
        );
        self::assertSame(
            [$dark ? 'rgb(18, 21, 27)' : 'rgb(246, 247, 249)', 0, [], 0],
            [$first['background'], $first['overflow'], $first['faint'], $first['foreign']],
        );
        self::assertGreaterThanOrEqual($charts, count($first['figures']));

        foreach ($first['figures'] as $id => $figure) {
            self::assertGreaterThan(280, $figure['width'], $id);
            self::assertGreaterThan(100, $figure['ink'], $id);
        }
    }

    private function made(string $name): string
    {
        foreach ((array) glob(self::ROOT.'/benchmarks/results/*.json') as $file) {
            copy((string) $file, $this->directory->file(basename((string) $file)));
        }

        $process = new Process(
            [PHP_BINARY, self::ROOT.'/benchmarks/render.php', "--in={$this->directory->path}", $name],
            env: ['QUICK' => false],
        );
        $process->run();
        self::assertSame(
            [0, $this->directory->file("{$name}.html")."\n"],
            [$process->getExitCode(), $process->getOutput()],
            $process->getErrorOutput(),
        );

        return $this->directory->file("{$name}.html");
    }
}
