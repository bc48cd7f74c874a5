<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcStat;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;
use Symfony\Component\Process\Process;

/**
 * `headroom doctor --url` and `--watch`, as a user types them.
 */
#[Group('snapshot')]
#[Group('quiet')]
final class DoctorUnderLoadTest extends TestCase
{
    #[Test, Group('day-1')]
    public function ctrl_c_ends_the_load_and_a_cause_is_named(): void
    {
        $stack = new Stack(script: '<?php usleep(100_000); echo "served";');
        $doctor = self::headroom(
            '--url='.$stack->url(),
            "--fpm={$stack->path('fpm.sock')}",
            '--only=F2',
            '--duration=60',
            '--concurrency=20',
            '--json',
        );
        $before = CpuShare::now();
        $doctor->start();
        // It says so when the load is about to begin.
        Printed::by($doctor, 'Ctrl-C');
        Patience::until(
            static fn (): bool => (int) $stack->pools()->pools[0]->status()->acceptedConnections >= 100,
            'the load has been seen for a while',
        );
        $doctor->signal(Signal::Interrupt->value);
        $doctor->wait();
        $live = UnderLoadDocument::of($doctor->getOutput(), $before);

        self::assertTrue($live->at('load', 'stopped_early'));
        $live->assertCause('sleeping');
        self::assertGreaterThan(0, $live->number('load', 'requests'));
        self::assertLessThan(60, $live->number('seconds_to_cause'), 'The whole load would take a minute.');
        self::assertSame(1, $doctor->getExitCode(), 'A cause is as severe as a finding.');
    }

    #[Test, Group('day-3')]
    public function a_doctor_that_is_killed_leaves_no_load_behind(): void
    {
        if ((new Process(['setpriv', '--pdeathsig', 'INT', 'true']))->run() !== 0) {
            self::markTestSkipped('No setpriv here can tie a process to its parent.');
        }

        $stack = new Stack;
        $doctor = self::headroom(
            '--url='.$stack->url(),
            "--fpm={$stack->path('fpm.sock')}",
            '--only=F2',
            '--duration=60',
            '--concurrency=2',
            '--json',
        );
        $doctor->start();
        $proc = new Proc;
        $loads = static fn (): array => array_values(array_filter(
            $proc->children((int) $doctor->getPid()),
            static fn (ProcStat $child): bool => in_array('load', $proc->commandLine($child->pid), true)
                && str_contains($proc->commandLine($child->pid)[0], 'php'),
        ));
        Eventually::true(static fn (): bool => count($loads()) === 1);
        [$load] = $loads();
        $doctor->signal(Signal::Kill->value);

        Eventually::true(static fn (): bool => ! $proc->isAlive($load->pid));
    }

    #[Test, Group('day-2')]
    public function ctrl_c_before_the_load_sends_none(): void
    {
        $stack = new Stack;
        $doctor = self::headroom(
            '--url='.$stack->url(),
            "--fpm={$stack->path('fpm.sock')}",
            '--only=F2',
            '--duration=60',
            '--concurrency=20',
            '--json',
        );
        $doctor->start();
        Printed::by($doctor, 'Ctrl-C');
        $doctor->signal(Signal::Interrupt->value);
        $doctor->wait();

        self::assertNull(UnderLoadDocument::of($doctor->getOutput())->at('load'), $doctor->getErrorOutput());
        self::assertSame('unclear', UnderLoadDocument::of($doctor->getOutput())->at('cause', 'id'));
        Snapshot::assertPrinted(
            'doctor live',
            'ended before anything was seen',
            UnderLoadDocument::of($doctor->getOutput())->text('sentence'),
        );
    }

    #[Test, Group('day-3')]
    public function requests_that_come_anyway_are_watched_and_none_is_sent(): void
    {
        $stack = new Stack(script: '<?php usleep(100_000); echo "served";');
        $load = new Process(
            [
                PHP_BINARY,
                dirname(__DIR__, 4).'/bin/headroom',
                'load',
                $stack->url(),
                '--duration=60',
                '--concurrency=12',
                '--json',
            ],
            timeout: 100,
        );
        $load->start();
        Patience::until(
            static fn (): bool => (int) $stack->pools()->pools[0]->status()->acceptedConnections >= 12,
            'the load has begun',
        );
        $live = self::inProcess($stack, ['--watch' => '4']);
        $load->stop(5, Signal::Interrupt->value);

        $live->assertCause('sleeping');
        self::assertNull($live->at('load'));
        self::assertNull(self::inProcess($stack, ['--watch' => '2'])->at('load'));
    }

    #[Test, Group('day-3')]
    public function the_document_has_its_members_and_the_page_a_chart(): void
    {
        $directory = TemporaryDirectory::create('live');
        $stack = new Stack;
        $live = self::inProcess($stack, [
            '--url' => $stack->url('us=50000'),
            '--duration' => '3',
            '--concurrency' => '12',
            '--output' => [
                $directory->file('live.html'), $directory->file('live.json'),
            ],
        ]);

        foreach ([
            'sentence', 'cause', 'others', 'evidence', 'unknown', 'samples', 'load', 'profile', 'next', 'fix',
            'harmful', 'seconds_to_cause',
        ] as $key) {
            self::assertArrayHasKey($key, $live->all());
        }

        self::assertSame(
            ['id', 'title', 'severity', 'weight', 'sentence', 'evidence', 'confidence'],
            array_keys($live->all('cause')),
        );
        self::assertGreaterThan(8, count($live->all('samples', 'at_ms')));
        self::assertSameSize($live->all('samples', 'at_ms'), $live->all('samples', 'waiting'));
        // The load begins when the base line ends, on the same clock.
        self::assertGreaterThan(1_400, $live->number('samples', 'load_from_ms'));
        self::assertLessThan(
            $live->number('samples', 'at_ms', count($live->all('samples', 'at_ms')) - 1),
            $live->number('samples', 'load_from_ms'),
        );
        self::assertStringContainsString(
            '"id":"live-0"',
            (string) file_get_contents($directory->file('live.html')),
        );
        self::assertStringContainsString(
            trim(
                (string) json_encode($live->text('sentence'), JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES),
                '"',
            ),
            (string) file_get_contents($directory->file('live.html')),
        );
        self::assertSame(
            $live->text('sentence'),
            UnderLoadDocument::of((string) file_get_contents($directory->file('live.json')))->text('sentence'),
        );
        $directory->remove();
    }

    #[Test, Group('day-2')]
    public function where_no_server_answers_no_load_is_sent(): void
    {
        $port = Ports::free();
        $command = new CommandTester(new DoctorCommand(
            CheckList::ofPackage(...),
            static fn (): Facts => (new Stack)->facts(),
            new SystemClock,
            UnderLoadDocument::LOAD,
        ));

        self::assertSame(2, $command->execute(['--url' => "http://127.0.0.1:{$port}/", '--json' => true]));
        Sentence::assertNames(["http://127.0.0.1:{$port}/"], $command->getDisplay());
        Snapshot::assertPrinted(
            'doctor live',
            'no server answers',
            (string) preg_replace('/\s+/', ' ', $command->getDisplay()),
        );
    }

    #[Test, Group('day-2')]
    public function in_an_application_that_links_the_package_the_load_is_sent_too(): void
    {
        $directory = TemporaryDirectory::create('linked');
        $checkout = dirname(__DIR__, 4);
        // As Composer links a path repository: the package lies elsewhere and has no autoloader of its own.
        (new Process(
            [
                'sh',
                '-c',
                'mkdir -p package app/vendor/headroom app/vendor/bin && cp -R "$0/src" "$0/bin" "$0/resources" package/'
                    .' && ln -s ../../../package app/vendor/headroom/headroom',
                $checkout,
            ],
            $directory->path,
        ))->mustRun();
        $directory->write('app/vendor/autoload.php', <<<PHP
            <?php
            require '{$checkout}/vendor/autoload.php';
            spl_autoload_register(static function (string \$class): void {
                \$file = __DIR__.'/headroom/headroom/src/'.strtr(substr(\$class, strlen('Headroom.')), chr(92), '/').'.php';
                str_starts_with(\$class, 'Headroom'.chr(92)) && is_file(\$file) && require \$file;
            }, prepend: true);
            PHP);
        $directory->write(
            'app/vendor/bin/headroom',
            "<?php \$GLOBALS['_composer_autoload_path'] = __DIR__.'/../autoload.php';"
                ." return include __DIR__.'/../headroom/headroom/bin/headroom';",
        );
        $stack = new Stack;
        $doctor = new Process(
            [
                PHP_BINARY,
                'vendor/bin/headroom',
                'doctor',
                '--url='.$stack->url('us=1000'),
                "--fpm={$stack->path('fpm.sock')}",
                '--only=F2',
                '--duration=2',
                '--concurrency=2',
                '--json',
                '--fail-on=never',
            ],
            $directory->file('app'),
            ['PWD' => $directory->file('app')],
            null,
            100,
        );
        $doctor->run();
        $directory->remove();

        self::assertSame(0, $doctor->getExitCode(), $doctor->getErrorOutput());
        self::assertGreaterThan(0, UnderLoadDocument::of($doctor->getOutput())->number('load', 'requests'));
    }

    #[Test]
    public function a_yes_from_a_pipe_is_no_leave_to_load_another_machine(): void
    {
        foreach ([
            'doctor' => ['--url=http://192.0.2.7/'],
            'load' => ['http://192.0.2.7/', '--requests=1'],
        ] as $command => $arguments) {
            $process = new Process(
                [PHP_BINARY, dirname(__DIR__, 4).'/bin/headroom', $command, ...$arguments],
                input: "yes\n",
                timeout: 100,
            );
            $process->run();

            self::assertSame(2, $process->getExitCode(), $process->getErrorOutput());
            self::assertStringNotContainsString('yes/no', $process->getOutput().$process->getErrorOutput());
        }
    }

    /** @return iterable<string, array{list<string>, list<string>}> options, and the names and numbers in the message */
    public static function wrong(): iterable
    {
        yield 'both' => [['--url=http://127.0.0.1/', '--watch'], ['url', 'watch']];
        yield 'no address' => [['--url=ftp://127.0.0.1/'], ['ftp://127.0.0.1/', 'http://127.0.0.1:8000/path']];
        yield 'another machine' => [['--url=http://192.0.2.7/', '--no-interaction'], ['192.0.2.7']];
        yield 'no user at a time' => [
            ['--url=http://127.0.0.1/', '--concurrency=0'],
            ['--concurrency', "'0'", '1', '10000'],
        ];
        yield 'half of one' => [['--url=http://127.0.0.1/', '--concurrency=1.5'], ['--concurrency', "'1.5'"]];
        yield 'too long' => [['--url=http://127.0.0.1/', '--duration=600'], ['--duration', "'600'", '2', '90']];
        yield 'no number' => [['--watch=soon'], ['--watch', "'soon'", '2', '3600']];
    }

    /**
     * @param list<string> $options
     * @param list<string> $named
     */
    #[Test, Group('day-1')]
    #[DataProvider('wrong')]
    public function a_wrong_option_is_told_before_anything_is_sent(array $options, array $named): void
    {
        $doctor = self::headroom(...$options);
        $doctor->run();

        self::assertSame(2, $doctor->getExitCode(), $doctor->getErrorOutput());
        Sentence::assertNames($named, $doctor->getErrorOutput().$doctor->getOutput());
        Snapshot::assertPrinted(
            'doctor live',
            "{$this->dataName()}",
            (string) preg_replace('/\s+/', ' ', $doctor->getErrorOutput().$doctor->getOutput()),
        );
    }

    private static function headroom(string ...$options): Process
    {
        return new Process(
            [PHP_BINARY, dirname(__DIR__, 4).'/bin/headroom', 'doctor', ...$options],
            null,
            ['COLUMNS' => '200'],
            null,
            100,
        );
    }

    /** @param array<string, mixed> $options */
    private static function inProcess(Stack $stack, array $options): UnderLoadDocument
    {
        $command = new CommandTester(new DoctorCommand(
            CheckList::ofPackage(...),
            static fn (array $told): Facts => $stack->facts(),
            new SystemClock,
            UnderLoadDocument::LOAD,
        ));
        $before = CpuShare::now();
        $command->execute([...$options, '--json' => true]);

        return UnderLoadDocument::of($command->getDisplay(), $before);
    }
}
