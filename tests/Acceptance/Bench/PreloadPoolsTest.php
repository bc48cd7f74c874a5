<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench;

use Headroom\Bench\Preload\MeasurementPlan;
use Headroom\Bench\Preload\PreloadBenchmark;
use Headroom\Bench\Preload\PreloadFinding;
use Headroom\Bench\Preload\PreloadFindings;
use Headroom\Bench\Preload\PreloadTable;
use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\ThroughputBenchmark;
use Headroom\Bench\Preload\UnableToMeasure;
use Headroom\Bench\Preload\VariantPool;
use Headroom\Preload\Page;
use Headroom\Preload\TargetApplication;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Small applications behind a real PHP-FPM.
 */
final class PreloadPoolsTest extends TestCase
{
    private const FRONT = <<<'PHP'
        <?php
        spl_autoload_register(static fn (string $class) => is_file(__DIR__."/{$class}.php") && require __DIR__."/{$class}.php");

        class_exists('Deadly', false) && posix_kill(getmypid(), 9);

        switch ($_SERVER['REQUEST_URI']) {
            case '/sleep': usleep(20_000); echo 'slept'; break;
            case '/slow': usleep(60_000); echo 'slow'; break;
            case '/work': for ($i = 0, $sum = 0; $i < 300_000; $i++) { $sum += $i; } echo $sum; break;
            case '/random': echo 'token ', bin2hex(random_bytes(8)), ' of a page'; break;
            case '/visits': setcookie('visits', $n = (string) (1 + (int) ($_COOKIE['visits'] ?? 0))); echo $n; break;
            case '/class': echo class_exists('Listed', false) ? 'was there' : 'was not'; break;
            case '/die': echo 'bye'; fastcgi_finish_request(); posix_kill(getmypid(), 9); break;
            case '/fail': http_response_code(500); break;
            case '/one': echo (new Listed)->name(); break;
        }
        PHP;

    private TemporaryDirectory $directory;

    private TargetApplication $site;

    private ?VariantPool $pool = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $account = UnixUser::forWorkers('www-data');
        $this->directory = TemporaryDirectory::create('pools', $account);
        $front = $this->directory->write('index.php', self::FRONT);
        $this->directory->write(
            'Listed.php',
            '<?php class Listed { public function name(): string { return "listed"; } }',
        );
        $this->site = new TargetApplication($this->directory->path, $front, account: $account);
    }

    protected function tearDown(): void
    {
        $this->pool?->stop();
        $this->directory->remove();
    }

    #[Test]
    public function a_pool_counts_preloaded_files_and_warnings(): void
    {
        $this->directory->write('Orphan.php', '<?php class Orphan extends Nowhere {}');
        $facts = $this->start($this->preloading('Listed.php', 'Orphan.php'))->facts();

        self::assertSame([2, 2, 1], [$facts->files, $facts->classes, $facts->warnings]);
        self::assertGreaterThan(0, $facts->preloadBytes);
    }

    #[Test]
    public function a_pool_without_a_list_preloads_nothing(): void
    {
        $facts = $this->start($this->plain())->facts();

        self::assertSame([0, 0, 0, 0], [$facts->files, $facts->classes, $facts->warnings, $facts->preloadBytes]);
    }

    #[Test]
    public function the_time_of_a_slice_is_cpu_time_with_wall_time_beside_it(): void
    {
        $pool = $this->start($this->plain());
        $asleep = $pool->sample(new Page('GET', '/sleep'), 5, 1);
        $atWork = $pool->sample(new Page('GET', '/work'), 5, 1);

        self::assertSame([200 => 5], $asleep->statuses);
        self::assertGreaterThanOrEqual(20_000, $asleep->wallMicros);
        // Only one of the two works; its speed does not matter.
        self::assertLessThan($atWork->cpuMicros, $asleep->cpuMicros);
        self::assertGreaterThan(0, $pool->workerBytes());
    }

    #[Test]
    public function a_worker_that_ends_within_a_slice_is_no_measure(): void
    {
        $pool = $this->start($this->plain());
        $this->expectException(UnableToMeasure::class);
        $this->expectExceptionMessageMatches("~'plain'.*\bGET /die\b~");

        // The worker that answers the second request is another one.
        $pool->sample(new Page('GET', '/die'), 2, 0);
    }

    #[Test]
    public function cookies_are_sent_back(): void
    {
        $pool = $this->start($this->plain());

        self::assertSame(
            ['1', '2'],
            [$pool->ask(new Page('GET', '/visits'))->body, $pool->ask(new Page('GET', '/visits'))->body],
        );
    }

    #[Test, Group('day-1')]
    public function a_comparison_reports_the_figures_and_changed_pages_of_each_variant(): void
    {
        $findings = $this->compare('/one', '/random', '/class');
        [$plain, $twin, $hot] = $findings->all();

        self::assertSame(
            ['plain', $this->plain()->twin()->name, 'hot'],
            array_map(static fn (PreloadFinding $finding): string => $finding->variant, $findings->all()),
        );
        self::assertSame([[], [], ['GET /class']], [$plain->changed, $twin->changed, $hot->changed]);
        self::assertSame(
            [0, 0, 1],
            array_map(static fn (PreloadFinding $finding): int => $finding->facts->files, $findings->all()),
        );
        self::assertNull($hot->costs['GET /class']->change());
        self::assertNotNull($hot->costs['GET /one']->change());
        $rates = $findings->ratesAgainst('plain', 'hot');
        self::assertSame(['GET /one'], array_keys($rates));
        self::assertGreaterThan(0.0, $rates['GET /one']->ratio());
        self::assertSame(2, $hot->costs['GET /one']->compared->rounds());
        self::assertJson(json_encode($hot->toArray(), JSON_THROW_ON_ERROR));

        foreach ((new PreloadTable($findings))->lines() as $line) {
            self::assertLessThanOrEqual(80, mb_strlen($line), $line);
        }
    }

    #[Test]
    #[Group('proof')]
    public function a_variant_that_fails_to_start_or_loses_its_worker_is_left_out(): void
    {
        $page = new Page('GET', '/one');
        $this->directory->write('Deadly.php', '<?php class Deadly {}');
        $broken = $this->plain()
            ->preloading('broken', $this->directory->write('broken.php', '<?php throw new LogicException("not so");'));
        $deadly = $this->plain()->preloading(
            'deadly',
            $this->directory->write(
                'deadly.php',
                '<?php opcache_compile_file('.var_export($this->directory->file('Deadly.php'), true).');',
            ),
        );
        $findings = (new PreloadBenchmark(
            $this->plain(),
            [$broken, $deadly, $this->preloading('Listed.php')],
            [$page],
            [$page],
            [$page],
            2,
            static function (): void {},
        ))->run(new MeasurementPlan(1, 1, 1, 1, 1, 0.1));

        self::assertSame(
            ['plain', $this->plain()->twin()->name, 'hot'],
            array_map(static fn (PreloadFinding $finding): string => $finding->variant, $findings->all()),
        );
        self::assertSame(['broken', 'deadly'], array_keys($findings->refused));
        self::assertStringContainsString('not so', $findings->refused['broken']);
        self::assertStringContainsString('GET /one', $findings->refused['deadly']);
    }

    #[Test]
    public function a_page_that_takes_longer_than_a_burst_has_a_rate_all_the_same(): void
    {
        $throughput = new ThroughputBenchmark(
            [$this->plain()],
            [new Page('GET', '/slow')],
            2,
            2,
            2,
            1,
            static function (): void {},
        );
        $throughput->run(1, 0.02);

        self::assertGreaterThan(0.0, $throughput->perSecond('plain', 'GET /slow')->median());
    }

    #[Test, Group('day-3')]
    public function a_page_that_fails_without_preloading_is_not_measured(): void
    {
        $this->expectExceptionObject(UnableToMeasure::failed('plain', 'GET /fail', 500));

        $this->compare('/fail');
    }

    private function compare(string ...$targets): PreloadFindings
    {
        $pages = array_map(static fn (string $target): Page => new Page('GET', $target), array_values($targets));
        self::assertNotSame([], $pages);

        return (new PreloadBenchmark(
            $this->plain(),
            [$this->preloading('Listed.php')],
            $pages,
            [$pages[0]],
            $pages,
            2,
            static function (): void {},
        ))->run(new MeasurementPlan(1, 2, 2, 1, 1, 0.1));
    }

    private function plain(): PreloadVariant
    {
        return new PreloadVariant('plain', $this->site);
    }

    private function preloading(string ...$files): PreloadVariant
    {
        $list = implode(
            '',
            array_map(
                fn (string $file): string => 'opcache_compile_file('.var_export($this->directory->file($file), true)
                    .');',
                $files,
            ),
        );

        return $this->plain()->preloading('hot', $this->directory->write('preload.php', "<?php {$list}"));
    }

    private function start(PreloadVariant $variant): VariantPool
    {
        return $this->pool = VariantPool::start($variant);
    }
}
