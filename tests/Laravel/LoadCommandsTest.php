<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Standalone\Bootstrap;
use Headroom\Core\SystemClock;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Tests\Acceptance\Load\HttpServer;
use Headroom\Tests\Acceptance\Load\SeenRequest;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Sample;
use Illuminate\Contracts\Console\Kernel;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Process\Process;

/**
 * `load` and `load:compare` under their names in artisan, against a server that notes what arrives.
 */
#[RequiresPhpExtension('posix')]
final class LoadCommandsTest extends ApplicationTestCase
{
    private HttpServer $server;

    protected function setUp(): void
    {
        $this->server = HttpServer::start();
        parent::setUp();
    }

    protected function tearDown(): void
    {

        parent::tearDown();
        $this->server->stop();
    }

    #[Test]
    public function it_sends_what_the_options_say_and_prints_json_alone(): void
    {
        $outcome = $this->load('/ok', '--requests=12', '-c', '3', '-H', 'X-One: two', '--body=n{{n}}', '--json');
        $seen = $this->server->requests();
        $bodies = array_map(static fn (SeenRequest $request): string => $request->body, $seen);
        sort($bodies, SORT_NATURAL);

        self::assertSame(
            [0, 12, 12, 3],
            [
                $outcome->exit,
                self::at($outcome, 'sent'),
                self::at($outcome, 'succeeded'),
                self::at($outcome, 'plan', 'concurrency'),
            ],
            $outcome->all(),
        );
        self::assertSame(array_map(static fn (int $n): string => "n{$n}", range(0, 11)), $bodies);
        self::assertSame(['POST', true], [$seen[0]->method, in_array('X-One: two', $seen[0]->headers, true)]);
    }

    #[Test]
    public function its_short_options_and_its_help_are_those_of_bin_headroom(): void
    {
        $outcome = $this->load('/ok', '-n', '3', '-c', '1', '-d0', '--json');
        $sent = $this->load('/ok', '-n3', '-c', '1', '--no-interaction', '--json');
        $help = $this->app->artisan('headroom:load', '--help');

        self::assertSame([2, 0, 3], [$outcome->exit, $sent->exit, self::at($sent, 'sent')], $outcome->all());
        self::assertMatchesRegularExpression('/^    -n, --requests=N  +\S/m', $help->out);
        self::assertMatchesRegularExpression('/artisan headroom:load http\S+ -c 50 -d 30s$/m', $help->out);
    }

    #[Test]
    public function it_ends_with_the_codes_of_bin_headroom(): void
    {
        $broken = $this->load('/status/503', '--requests=4', '--threshold=error_rate<1%', '--json');
        $failed = $this->load('/status/503', '--requests=4', '--json');

        self::assertSame([3, 1], [$broken->exit, $failed->exit]);
        self::assertSame([4, 4], [self::at($broken, 'http_errors'), self::at($failed, 'http_errors')]);
        self::assertTrue(self::at($broken, 'thresholds', 0, 'crossed'));
    }

    #[Test, Group('day-2')]
    #[TestWith(['--bogus'])]
    #[TestWith(['--requests=0'])]
    #[TestWith(['--processes=99'])]
    public function wrong_usage_sends_nothing_and_ends_with_2_also_as_json(string $wrong): void
    {
        $words = $this->load('/ok', $wrong);
        $json = $this->load('/ok', $wrong, '--json');

        self::assertSame([2, '', 2, ''], [$words->exit, $words->out, $json->exit, $json->err]);
        self::assertSame(trim($words->err), self::at($json, 'error'));
        self::assertSame([], $this->server->requests());
    }

    #[Test]
    public function options_of_artisan_do_what_they_do_everywhere(): void
    {
        $quiet = $this->load('/ok', '--requests=2', '--quiet', '--env=testing', '-v', '--ansi', '--no-interaction');

        self::assertSame([0, '', ''], [$quiet->exit, $quiet->out, $quiet->err]);
        self::assertCount(2, $this->server->requests());
    }

    #[Test]
    public function another_host_is_refused_where_no_question_can_be_asked(): void
    {
        $refused = $this->app->artisan(
            'headroom:load',
            'http://example.invalid/',
            '-n',
            '1',
            '--no-interaction',
            '--json',
        );

        self::assertSame(2, $refused->exit, $refused->all());
        self::assertIsString(self::at($refused, 'error'));
    }

    #[Test, Group('day-1')]
    public function several_processes_send_together_exactly_what_one_would(): void
    {
        $outcome = $this->load('/ok', '--requests=51', '--processes=3', '--json');

        self::assertSame(
            [0, 51, 3, []],
            [
                $outcome->exit,
                self::at($outcome, 'succeeded'),
                self::at($outcome, 'plan', 'processes'),
                self::at($outcome, 'lost'),
            ],
            $outcome->all(),
        );
        self::assertCount(51, $this->server->requests());
    }

    #[Test]
    public function several_processes_are_artisans_also_where_another_program_calls_the_command(): void
    {
        $workbench = WorkbenchApplication::boot();

        try {
            $workbench->artisan(
                'headroom:load',
                ['url' => $this->server->url('/ok'), '--requests' => '20', '--processes' => '2', '--json' => true],
            );
        } finally {
            $workbench->shut();
        }

        self::assertCount(20, $this->server->requests());
    }

    /** @return array<int, array{int, Signal}> */
    public static function signals(): array
    {
        return Sample::of([
            [1, Signal::Interrupt],
            [1, Signal::Terminate],
            [2, Signal::Interrupt],
        ], 1);
    }

    #[Test]
    #[DataProvider('signals')]
    #[RequiresPhpExtension('pcntl')]
    public function a_signal_ends_the_run_early_and_the_result_is_printed(int $processes, Signal $signal): void
    {
        $process = $this->app->process([
            Programs::php(),
            'artisan',
            'headroom:load',
            $this->server->url('/slow/1000'),
            '--duration=120',
            '--concurrency=4',
            "--processes={$processes}",
            '--json',
        ]);
        $process->start();
        // The second four have just begun, and no answer is near.
        $this->await(fn (): bool => count($this->server->requests()) >= 8, $process);
        $process->signal($signal->value);
        $process->wait();
        $outcome = new Outcome((int) $process->getExitCode(), $process->getOutput(), $process->getErrorOutput());

        self::assertSame(
            [0, true, 4],
            [$outcome->exit, self::at($outcome, 'stopped_early'), self::at($outcome, 'unfinished')],
            $outcome->all(),
        );
    }

    #[Test, Group('day-3')]
    public function two_results_are_compared(): void
    {
        foreach (['fast' => '/ok', 'again' => '/ok', 'broken' => '/status/503'] as $name => $path) {
            $this->load($path, '--requests=40', "--output={$name}.json");
        }

        $same = $this->app->artisan('headroom:load:compare', 'fast.json', 'again.json', '--json');
        $once = $this->app->artisan('headroom:load:compare', 'fast.json', 'fast.json', '--json');
        $worse = $this->app->artisan('headroom:load:compare', 'fast.json', 'broken.json', '--tolerance=10', '--json');
        $none = $this->app->artisan('headroom:load:compare', 'fast.json', 'gone.json', '--json');
        $bogus = $this->app->artisan('headroom:load:compare', 'fast.json', 'fast.json', '--tolerance=lots');

        self::assertSame([3, 2, 1, 2, 2], [$same->exit, $once->exit, $worse->exit, $none->exit, $bogus->exit]);
        self::assertSame([false, true], [self::at($same, 'worse'), self::at($worse, 'worse')]);
        self::assertSame(10, self::at($worse, 'tolerance_percent'));
        self::assertIsString(self::at($none, 'error'));
        self::assertSame('', $bogus->out);
    }

    #[Test]
    public function they_are_those_of_bin_headroom_and_no_option_is_one_of_artisan_too(): void
    {
        $workbench = WorkbenchApplication::boot();

        try {
            $artisan = $workbench->app->make(Kernel::class)->all();
            self::assertInstanceOf(Command::class, $artisan['list']);
            $general = $artisan['list']->getApplication()?->getDefinition() ?? new InputDefinition;
            self::assertTrue($general->hasOption('env'));

            foreach (['load', 'load:worker', 'load:compare'] as $name) {
                $own = (new Bootstrap)->application()->get($name);
                $there = $artisan["headroom:{$name}"];
                self::assertInstanceOf(Command::class, $there);
                $taken = array_filter(
                    $own->getNativeDefinition()->getOptions(),
                    static fn (InputOption $option): bool => $general->hasOption($option->getName())
                        || $general->hasShortcut((string) $option->getShortcut()),
                );

                // load's -n is --requests, as in ab and hey: LoadDefinition takes it from --no-interaction.
                self::assertSame($name === 'load' ? ['requests'] : [], array_keys($taken), $name);
                self::assertSame(self::facts($own), self::facts($there));
            }
        } finally {
            $workbench->shut();
        }
    }

    #[Test]
    public function another_command_loads_no_file_of_theirs(): void
    {
        $this->app->write(
            'prepended.php',
            '<?php register_shutdown_function(static fn () => file_put_contents(__DIR__."/included", implode("\n",'
                .' get_included_files())));',
        );
        $loaded = function (string ...$command): int {
            $outcome = $this->app->run([
                Programs::php(),
                '-d',
                "auto_prepend_file={$this->app->path('prepended.php')}",
                'artisan',
                ...array_values($command),
            ]);
            self::assertSame(0, $outcome->exit, $outcome->all());

            return (int) preg_match_all('~/src/(?:Console/Load/|Load/Generator)~', $this->app->read('included'));
        };

        self::assertSame(0, $loaded('list'));
        self::assertSame(0, $loaded('env'));
        self::assertGreaterThan(5, $loaded('headroom:load', $this->server->url('/ok'), '--requests=1'));
    }

    private function load(string $path, string ...$options): Outcome
    {
        return $this->app->artisan('headroom:load', $this->server->url($path), ...array_values($options));
    }

    /** @return array<mixed> */
    private static function facts(Command $command): array
    {
        $definition = $command->getNativeDefinition();
        $options = array_map(
            static fn (InputOption $option): array
                => [$option->getShortcut(), $option->acceptValue(), $option->isArray(), $option->getDefault()],
            $definition->getOptions(),
        );
        $arguments = array_map(
            static fn (InputArgument $argument): array => [$argument->isRequired(), $argument->getDefault()],
            $definition->getArguments(),
        );

        return [$command->getDescription(), $command->isHidden(), $options, $arguments];
    }

    private static function at(Outcome $outcome, string|int ...$keys): mixed
    {
        $value = json_decode($outcome->out, true);

        foreach ($keys as $key) {
            self::assertIsArray($value, $outcome->all());
            $value = $value[$key] ?? null;
        }

        return $value;
    }

    /** @param callable(): bool $condition */
    private function await(callable $condition, Process $process): void
    {
        $clock = new SystemClock;

        for ($i = 0; $i < 3_000 && $process->isRunning(); $i++) {
            if ($condition()) {
                return;
            }

            $clock->sleep(10_000);
        }

        self::fail('It did not happen: '.$process->getErrorOutput());
    }
}
