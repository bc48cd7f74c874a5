<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Bench\Preload\MeasurementPlan;
use Headroom\Bench\Preload\UnableToMeasure;
use Headroom\Console\Preload\BenchPreloadCommand;
use Headroom\Console\Preload\PreloadContext;
use Headroom\Core\SystemClock;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * The command as a whole, on an application that is small enough; what its figures are worth is not looked at here.
 */
final class BenchCommandTest extends TestCase
{
    private FakeProject $fake;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->fake = FakeProject::create(owner: UnixUser::forWorkers('www-data'));
        $this->fake->app('A', 'class A extends \Lib\B {}')
            ->package('acme/lib', 'Lib')->file('vendor/acme/lib/src/B.php', '<?php namespace Lib; class B {}')
            ->file(
                'vendor/autoload.php',
                '<?php spl_autoload_register(static function (string $class): void { require __DIR__.($class ==='
                    .' "Lib\B" ? "/acme/lib/src/B.php" : "/../app/A.php"); });',
            )
            ->file('composer.json', '{"name": "a/a", "autoload": {"classmap": ["app", "vendor/acme"]}}')
            ->file('public/index.php', '<?php require __DIR__."/../vendor/autoload.php"; new App\A; echo "well";')
            ->file('urls.txt', "/\n/missing\n")
            ->write();
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    #[Test]
    #[Group('proof')]
    public function it_compares_an_authoritative_class_map_and_lists_and_leaves_nothing_behind(): void
    {
        $before = $this->files();
        $tester = new CommandTester(new BenchPreloadCommand(
            $this->application(),
            new SystemClock,
            new MeasurementPlan(1, 2, 2, 1, 1, 0.2),
        ));

        self::assertSame(
            0,
            $tester->execute(
                ['--urls' => "{$this->fake->root()}/urls.txt", '--strategy' => ['hot'], '--json' => true],
                ['capture_stderr_separately' => true],
            ),
            $tester->getErrorOutput(),
        );

        $report = json_decode($tester->getDisplay(), true);
        self::assertIsArray($report);
        self::assertIsArray($report['findings']);
        self::assertSame([], $report['refused']);
        $findings = array_values(array_filter($report['findings'], is_array(...)));
        self::assertSame(
            [[0, []], [0, []], [0, []], [2, []]],
            array_map(static fn (array $finding): array => [$finding['files'], $finding['pages_changed']], $findings),
        );
        [$plain, $twin] = array_values(array_filter(array_column($findings, 'variant'), is_string(...)));
        self::assertStringStartsWith("{$plain} ", $twin);
        self::assertSame(['-o -a', 'hot'], array_slice(array_column($findings, 'variant'), 2));
        self::assertSame($before, $this->files());
    }

    #[Test]
    public function pages_that_do_not_work_are_nothing_to_measure(): void
    {
        $this->fake->file('public/index.php', '<?php http_response_code(404);');
        $tester = new CommandTester(new BenchPreloadCommand(
            $this->application(),
            new SystemClock,
            new MeasurementPlan(1, 1, 1, 1, 1, 0.1),
        ));

        self::assertSame(
            1,
            $tester->execute(['--urls' => "{$this->fake->root()}/urls.txt"], ['capture_stderr_separately' => true]),
        );
        self::assertStringContainsString(
            UnableToMeasure::noPage()->getMessage(),
            (string) preg_replace('/\s+/', ' ', $tester->getErrorOutput()),
        );
    }

    private function application(): PreloadContext
    {
        return new PreloadContext(
            $this->fake->root(),
            static fn (): array => ['file' => 'preload.php'],
            static fn (): array => [],
        );
    }

    /** @return list<string> */
    private function files(): array
    {
        $files = glob("{$this->fake->root()}/{,.}*", GLOB_BRACE);

        return $files === false ? [] : $files;
    }
}
