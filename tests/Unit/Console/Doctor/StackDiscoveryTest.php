<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Doctor;

use Closure;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Process\Proc;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Kernel\MachineTestCase;
use Headroom\Tests\Unit\Doctor\Support\PlantedStack;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Console\Tester\CommandTester;

use function array_column;
use function array_fill_keys;
use function array_filter;
use function array_keys;
use function array_unique;
use function array_values;
use function json_decode;
use function preg_match_all;

/**
 * A doctor that found nothing of a stack says what it looked for, and does not end as one that found all well.
 */
#[Group('doctor')]
#[Group('snapshot')]
final class StackDiscoveryTest extends MachineTestCase
{
    private const PARTS = ['nginx', 'PHP-FPM', 'Redis', 'SQL server', 'Laravel application'];

    protected function setUp(): void
    {
        parent::setUp();
        $this->machine->has(
            '/proc/sys/net/ipv4/tcp_abort_on_overflow',
            "0\n",
        )->has('/proc/sys/net/core/somaxconn', "4096\n");
    }

    #[Test]
    public function a_machine_without_a_stack_ends_with_2_and_says_what_was_looked_for(): void
    {
        $command = $this->command([]);
        $tester = new CommandTester($command);
        $words = self::within('/', static function () use ($tester): string {
            self::assertSame(2, $tester->execute([]));

            return $tester->getDisplay();
        });

        foreach (self::PARTS as $part) {
            self::assertMatchesRegularExpression("/^  {$part}: /m", $words);
        }

        preg_match_all('/^    \$ .*? --([a-z]+)=/m', $words, $named);
        self::assertSame(['fpm', 'redis', 'database', 'url'], $named[1]);
        self::assertSame(
            [],
            array_filter(
                $named[1],
                static fn (string $option): bool => ! $command->getDefinition()->hasOption($option),
            ),
        );
        self::assertStringContainsString('$ php artisan headroom:doctor ', $words);
        self::assertStringContainsString('$ sudo headroom doctor ', $words);
        Snapshot::assertPrinted('doctor', 'nothing of a stack was found', $words);
    }

    #[Test]
    public function json_has_each_part_with_where_it_was_looked_for(): void
    {
        $tester = $this->doctor([]);
        self::assertSame(2, $tester->execute(['--json' => true]));
        $parts = self::parts($tester);

        self::assertSame(self::PARTS, array_column($parts, 'what'));
        self::assertSame(['not here'], array_values(array_unique(array_column($parts, 'status'))));

        foreach ($parts as $part) {
            self::assertNotSame('', $part['where']);
            self::assertNotSame('', $part['why']);
            self::assertNotSame([], $part['more']);
        }
    }

    /** @return iterable<string, array{class-string, string}> */
    public static function facts(): iterable
    {
        yield 'nginx' => [NginxServers::class, 'nginx'];
        yield 'PHP-FPM' => [FpmPools::class, 'PHP-FPM'];
        yield 'Redis' => [RedisServers::class, 'Redis'];
        yield 'a SQL server' => [DatabaseServer::class, 'SQL server'];
        yield 'an application' => [Application::class, 'Laravel application'];
    }

    /** @param class-string $class */
    #[Test]
    #[DataProvider('facts')]
    public function one_part_that_is_here_or_unknown_is_enough(string $class, string $what): void
    {
        $stack = new PlantedStack(false);
        $unknown = static fn (): object => throw FactUnavailable::because('no rights', 'sudo cat it');

        foreach (['found' => $stack->probes()[$class], 'unknown' => $unknown] as $status => $probe) {
            $tester = $this->doctor([$class => $probe]);
            self::assertSame(0, $tester->execute(['--json' => true, '--fail-on' => 'critical']));
            self::assertSame($status, array_column(self::parts($tester), 'status', 'what')[$what]);
        }
    }

    #[Test]
    public function checks_that_were_chosen_look_for_what_they_are_about(): void
    {
        $tester = $this->doctor([]);

        self::assertSame(2, $tester->execute(['--only' => ['N5'], '--json' => true]));
        self::assertSame(['nginx'], array_column(self::parts($tester), 'what'));
        self::assertSame(0, $tester->execute(['--only' => ['S4'], '--json' => true]));
        self::assertSame([], self::parts($tester));
        self::assertSame(0, $tester->execute(['--only' => ['N5', 'S4']]));
        self::assertSame(2, $tester->execute(['--only' => ['N5'], '--ignore' => ['N5']]));
        self::assertSame(0, $tester->execute(['--fail-on' => 'never']));
    }

    #[Test]
    public function a_directory_with_an_application_is_told_to_ask_by_artisan(): void
    {
        $this->machine->has('/app/artisan', '');
        $told = self::within($this->machine->path('/app'), function (): array {
            $tester = $this->doctor([]);
            $tester->execute(['--json' => true]);

            return array_column(self::parts($tester), 'more', 'what')['Laravel application'] ?? [];
        });

        self::assertStringContainsString(
            "php artisan headroom:doctor   # in {$this->machine->path('/app')}",
            $told[0] ?? '',
        );
    }

    /** @return iterable<string, array{string, bool}> */
    public static function mounts(): iterable
    {
        yield 'none is hidden' => ['22 27 0:21 / /proc rw,relatime - proc proc rw', false];
        yield 'by a number' => ['22 27 0:21 / /proc rw,relatime - proc proc rw,hidepid=2', true];
        yield 'what they do is hidden' => ['22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw,hidepid=1', true];
        yield 'by a word' => ['22 27 0:21 / /proc rw,relatime - proc none rw,gid=4,hidepid=invisible', true];
        yield 'off' => ['22 27 0:21 / /proc rw,relatime - proc proc rw,hidepid=0', false];
        yield 'another mount' => ['22 27 0:21 / /srv/proc rw - proc proc rw,hidepid=2', false];
    }

    #[Test]
    #[DataProvider('mounts')]
    public function processes_that_a_user_may_not_see_are_unknown_and_not_absent(string $mount, bool $isUnknown): void
    {
        $pid = (int) getmypid();
        $probe = fn (int $user): Closure => FactProviders::seen(
            'nginx',
            static fn (): object => throw NotApplicable::of('no nginx runs here'),
            new Proc(
                $this->machine->has('/proc/self/mountinfo', "{$mount}\n")->has(
                    "/proc/{$pid}/status",
                    "Uid:\t{$user}\t{$user}\t{$user}\t{$user}\n",
                )->path('/proc'),
            ),
        );

        self::assertSame($isUnknown ? FactUnavailable::class : NotApplicable::class, self::thrown($probe(33)));
        self::assertSame(NotApplicable::class, self::thrown($probe(0)));
    }

    /**
     * @template T
     *
     * @param Closure(): T $run
     * @return T
     */
    private static function within(string $directory, Closure $run): mixed
    {
        $before = (string) getcwd();

        try {
            chdir($directory);

            return $run();
        } finally {
            chdir($before);
        }
    }

    /** @param Closure(): object $probe */
    private static function thrown(Closure $probe): ?string
    {
        try {
            $probe();
        } catch (FactUnavailable|NotApplicable $e) {
            return $e::class;
        }

        return null;
    }

    /** @return list<array{what: string, status: string, where: string, why: string, more: list<string>}> */
    private static function parts(CommandTester $tester): array
    {
        /**
         * @var array{
         *     looked_for: list<array{what: string, status: string, where: string, why: string, more: list<string>}>,
         * } $document
         */
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        return $document['looked_for'];
    }

    /** @param array<class-string, Closure(Facts): object> $planted on a machine that has nothing else but a kernel */
    private function doctor(array $planted): CommandTester
    {
        return new CommandTester($this->command($planted));
    }

    /** @param array<class-string, Closure(Facts): object> $planted */
    private function command(array $planted): DoctorCommand
    {
        $nothing = array_fill_keys(
            array_keys(FactProviders::ofThisMachine()),
            static fn (): object => throw NotApplicable::of('none is here'),
        );
        $kernel = [Sysctl::class => fn (): Sysctl => new Sysctl($this->machine->files())];
        unset($nothing[KernelWindow::class]);

        return new DoctorCommand(
            CheckList::ofPackage(...),
            static fn (array $told): Facts => new Facts($told + $planted + $kernel + $nothing),
            new SystemClock,
            [],
        );
    }
}
