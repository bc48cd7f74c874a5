<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class HouseStyleTest extends TestCase
{
    private const CORE_ROOMS = [
        'src/Bench', 'src/Charts', 'src/Collector', 'src/Console', 'src/Core', 'src/Doctor', 'src/Host', 'src/Load',
        'src/Preload', 'src/Process', 'src/Report',
        'src/Sink', 'src/Spool', 'src/Support',
    ];

    /** Rooms and folders that own files; the others get what they need through these. */
    private const FILE_OWNERS = '~^src/(Bench|Console|Collector/(Sapi|Server)|Host|Laravel|Preload|Process|Report|Sink/File|Spool/(Alerts|FileStore|History|RedisStore|Monitoring)|Collector/Ingest/(Authentication|RateLimit))/|^src/Support/(?:RegularFile|AtomicFile)|^src/Spool/Compat/RowsFile~';

    /**
     * Without an import, PHP looks for the function in the namespace first and does not compile strlen() and its kind
     * to one opcode. callgrind counted 1.2 % more instructions for a request to the collector without the imports of
     * src/Http alone, and 3.5 to 6.5 % more for a response that load reads.
     */
    private const MEASURED = '~^src/(Collector|Core|Http|Sink/Database|Spool)/~';

    #[Test]
    public function src_declares_strict_types(): void
    {
        Breaches::none(Files::php('src', 'bin'), HouseRules::strictTypes(...));
    }

    #[Test]
    public function core_rooms_compose(): void
    {
        Breaches::none(Files::php(...self::CORE_ROOMS), HouseRules::composition(...), [
            'src/Console/BaseCommand.php' => 'Symfony knows a command by its class, and runs it by a method of that',
            'src/Console/CheckedOutput.php' => 'Symfony writes to stdout in a method that only a subclass can replace',
            'src/Console/Spool/SpoolCommand.php' => 'it gives sixteen commands their constructor',
        ]);
    }

    #[Test]
    public function the_one_trait_is_that_of_models(): void
    {
        Breaches::none(Files::php('src'), HouseRules::noTraits(...), [
            'src/Laravel/Eloquent/BuffersWrites.php' => 'Eloquent shows no other way to what a model keeps to itself',
        ]);
    }

    #[Test]
    public function classes_are_final(): void
    {
        Breaches::none(Files::php('src'), HouseRules::finalClasses(...), [
            'src/Laravel/Alerts/AlertNotification.php' => 'applications extend it to send it through other channels',
        ]);
    }

    #[Test]
    public function time_is_injected(): void
    {
        Breaches::none(Files::php('src'), HouseRules::injectedTime(...), [
            'src/Core/SystemClock.php' => 'it is the clock',
            'src/Spool/FileStore/Segment/SegmentWriter.php' =>
                'a clock would be two more classes in every request that buffers (docs/adr/0005)',
        ]);
    }

    #[Test]
    public function functions_are_imported_only_on_measured_paths(): void
    {
        $paths = array_filter(
            Files::php('src'),
            static fn (string $path): bool => preg_match(self::MEASURED, $path) === 0,
        );

        Breaches::none(array_values($paths), HouseRules::noFunctionImports(...));
    }

    #[Test]
    public function no_function_that_runs_foreign_code_is_called(): void
    {
        Breaches::none(Files::php('src', 'bin'), HouseRules::noDangerousCalls(...));
    }

    /** ADR 28: PHP reads or stops another process by way of FFI only, or of /proc, which does not stop it. */
    #[Test]
    public function no_code_of_the_package_calls_c(): void
    {
        $calling = static fn (string $path): bool => preg_match('~\bFFI\b~', Files::read($path)) === 1;

        self::assertSame([], array_values(array_filter(Files::php('src', 'bin'), $calling)));
        self::assertTrue($calling('benchmarks/stacks/src/VmReadv.php'));
    }

    #[Test]
    public function files_are_changed_by_their_owners_only(): void
    {
        $paths = array_filter(
            Files::php('src'),
            static fn (string $path): bool => preg_match(self::FILE_OWNERS, $path) === 0,
        );

        Breaches::none(array_values($paths), HouseRules::noFileChanges(...));
    }

    #[Test]
    public function no_test_waits_for_output_printed_before(): void
    {
        Breaches::none(
            Files::php('src', 'bin', 'tests', 'dev', 'benchmarks', 'workbench'),
            HouseRules::noWordsMissed(...),
        );
    }

    #[Test]
    public function a_test_has_a_short_name_in_plain_words(): void
    {
        Breaches::none(Files::php('tests'), HouseRules::namesOfTests(...));
    }

    #[Test]
    public function helpers_of_laravel_are_called_in_the_laravel_room_only(): void
    {
        $paths = array_filter(
            Files::php('src'),
            static fn (string $path): bool => ! str_starts_with($path, 'src/Laravel/'),
        );

        Breaches::none(array_values($paths), HouseRules::noLaravelHelpers(...));
    }

    /** @return iterable<string, array{callable(Source): list<string>, string}> */
    public static function breaking(): iterable
    {
        $composition = HouseRules::composition(...);
        $final = HouseRules::finalClasses(...);
        $time = HouseRules::injectedTime(...);
        $dangerous = HouseRules::noDangerousCalls(...);
        $helpers = HouseRules::noLaravelHelpers(...);

        yield 'no declaration' => [HouseRules::strictTypes(...), "<?php\n\nnamespace A;\n"];
        yield 'types not strict' => [HouseRules::strictTypes(...), "<?php\n\ndeclare(strict_types=0);\n"];
        yield 'abstract class' => [$composition, '<?php abstract class A {}'];
        yield 'abstract method' => [$composition, '<?php class A { abstract public function a(); }'];
        yield 'protected method' => [$composition, '<?php class A { protected function a() {} }'];
        yield 'protected property' => [
            $composition, '<?php final class A { public function __construct(protected int $a) {} }',
        ];
        yield 'a trait anywhere' => [HouseRules::noTraits(...), '<?php namespace N; trait A {}'];
        yield 'trait' => [$composition, '<?php trait A {}'];
        yield 'use of a trait' => [$composition, '<?php namespace N; use X\Y; final class A { use Y; }'];
        yield 'open class' => [$final, '<?php class A {}'];
        yield 'open readonly class' => [$final, '<?php readonly class A {}'];
        yield 'second class of the file' => [$final, '<?php final class A {} class B extends A {}'];
        yield 'time()' => [$time, '<?php $now = time();'];
        yield '\microtime()' => [$time, '<?php $now = \microtime(true);'];
        yield 'hrtime() as a callable' => [$time, '<?php $now = hrtime(...);'];
        yield 'use function usleep' => [$time, '<?php use function usleep;'];
        yield 'Sleep()' => [$time, '<?php Sleep(1);'];
        yield 'new DateTimeImmutable' => [$time, '<?php use DateTimeImmutable; $now = new DateTimeImmutable;'];
        yield 'new \DateTime()' => [$time, '<?php $now = new \DateTime();'];
        yield "new DateTimeImmutable('now')" => [$time, "<?php \$now = new DateTimeImmutable('now', \$zone);"];
        yield 'date() of now' => [$time, "<?php echo date('c');"];
        yield 'gmdate() of now' => [$time, "<?php return ['a' => gmdate('Y-m-d'), 'b' => 1];"];
        yield 'use function strlen' => [HouseRules::noFunctionImports(...), '<?php use function strlen;'];
        yield 'use function a\b' => [HouseRules::noFunctionImports(...), '<?php use function a\b as c;'];
        yield 'unserialize()' => [$dangerous, '<?php unserialize($a);'];
        yield 'exec()' => [$dangerous, '<?php \exec($a);'];
        yield 'shell_exec()' => [$dangerous, '<?php return shell_exec($a);'];
        yield 'passthru()' => [$dangerous, '<?php passthru($a);'];
        yield 'system()' => [$dangerous, '<?php system($a);'];
        yield 'popen()' => [$dangerous, '<?php popen($a, "r");'];
        yield 'pcntl_exec()' => [$dangerous, '<?php pcntl_exec($a);'];
        yield 'eval()' => [$dangerous, '<?php eval($a);'];
        yield 'flock()' => [HouseRules::noFileChanges(...), '<?php flock($a, LOCK_EX);'];
        yield 'use function rename' => [HouseRules::noFileChanges(...), '<?php use function rename;'];
        yield 'waitUntil()' => [HouseRules::noWordsMissed(...), '<?php $process?->waitUntil($a);'];
        yield 'a name of 15 words' => [
            HouseRules::namesOfTests(...),
            '<?php class A { public function '.implode('_', array_fill(0, 15, 'a')).'() {} }',
        ];
        yield 'a name without an actor' => [
            HouseRules::namesOfTests(...), '<?php class A { public function it_is_told_to_whoever_asks() {} }',
        ];
        yield 'env()' => [$helpers, '<?php $a = env("A");'];
        yield 'config()' => [$helpers, '<?php $a = config("a");'];
        yield 'app()' => [$helpers, '<?php $a = app(A::class);'];
    }

    /** @param callable(Source): list<string> $rule */
    #[Test]
    #[DataProvider('breaking')]
    public function a_breach_is_seen(callable $rule, string $code): void
    {
        self::assertCount(1, $rule(Source::fromCode($code)));
    }

    /** @return iterable<string, array{callable(Source): list<string>, string}> */
    public static function keeping(): iterable
    {
        yield 'strict types' => [HouseRules::strictTypes(...), "<?php\n\ndeclare(strict_types=1);\n"];
        yield 'program with strict types' => [
            HouseRules::strictTypes(...), "#!/usr/bin/env php\n<?php\n\ndeclare(strict_types=1);\n",
        ];
        yield 'closure with use' => [
            HouseRules::composition(...), '<?php final class A { function a() { return function () use ($b) {}; } }',
        ];
        yield 'import of a class' => [HouseRules::composition(...), '<?php use A\B; final readonly class C {}'];
        yield 'final classes' => [
            HouseRules::finalClasses(...),
            '<?php final readonly class A {} interface B {} enum C {} $d = new class {}; E::class;',
        ];
        yield 'time of a clock' => [
            HouseRules::injectedTime(...),
            '<?php $clock->sleep(1); Clock::time(); $a = $clock?->time(); function time() {}',
        ];
        yield 'time that is given' => [
            HouseRules::injectedTime(...), "<?php gmdate('c', \$then); new DateTimeImmutable('@'.\$then); new Time;",
        ];
        yield 'method of the same name' => [HouseRules::noDangerousCalls(...), '<?php $pdo->exec($sql); // exec()'];
        yield 'method config' => [
            HouseRules::noLaravelHelpers(...),
            '<?php $this->config(); $a = $this->app->make(A::class); public function env() {}',
        ];
    }

    /** @param callable(Source): list<string> $rule */
    #[Test]
    #[DataProvider('keeping')]
    public function allowed_code_passes(callable $rule, string $code): void
    {
        self::assertSame([], $rule(Source::fromCode($code)));
    }

    #[Test]
    public function an_exception_that_is_not_needed_is_seen(): void
    {
        $this->expectException(AssertionFailedError::class);
        $this->expectExceptionMessage('src/Core/Batch.php: is excepted from this rule and does not need it.');

        Breaches::none(['src/Core/Batch.php'], HouseRules::injectedTime(...), ['src/Core/Batch.php' => 'none']);
    }
}
