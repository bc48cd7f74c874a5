<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Tests\Architecture\Counts\Instrumentation;
use Headroom\Tests\Architecture\Counts\Recorder;
use Headroom\Tests\Architecture\Counts\Walk;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WalkCountsTest extends TestCase
{
    /** Two classes that call each other in all the ways that differ for the recorder. */
    private const SAMPLE = <<<'PHP'
        <?php
        namespace Headroom\Planted%1$s;
        use function str\{len as length, rev};
        interface Named { public function name(string $of = ''): string; }
        abstract class Base { abstract public function none(): int; public function same(): int { return 1; } }
        final class Caller extends Base {
            public function __construct(private Called $called, #[\A(1)] public array $a = ['a' => [1]]) {}
            public function none(): int { return $this->same(); }
            public function all(): int {
                $sum = $this->none();
                foreach ($this->called->numbers() as $number) { $sum += $number; }
                $closure = function (int $a) use ($sum): int { return $a + $sum; };
                $arrow = fn (int $a): int => $this->called->number($a);
                return array_sum(array_map($closure, [1])) + $arrow(2);
            }
        }
        final class Called implements Named {
            public function numbers(): \Generator { yield 1; yield 2; }
            public function number(int $a): int { return $a; }
            public function name(string $of = ''): string { return "{$of}" ?: self::class; }
        }
        PHP;

    #[Test]
    public function each_call_is_recorded_with_its_class(): void
    {
        $walk = self::walkOf('return (new \%s\Caller(new \%1$s\Called))->all();', $sum);

        self::assertSame(7, $sum);
        self::assertSame(['Base' => 1, 'Called' => 2, 'Caller' => 4], $walk->calls);
        // none() calls Base, all() runs the generator, the arrow function calls number().
        self::assertSame(
            ['Base' => 1, 'Called' => 2],
            ['Base' => $walk->switches['Caller → Base'], 'Called' => $walk->switches['Caller → Called']],
        );
        self::assertSame(3, array_sum($walk->switches));
    }

    #[Test]
    public function a_call_from_outside_the_package_is_no_switch(): void
    {
        $walk = self::walkOf('return strlen((new \%s\Called)->name("abc"));', $length);

        self::assertSame(3, $length);
        self::assertSame(['Called' => 1], $walk->calls);
        self::assertSame([], $walk->switches);
    }

    /** @return iterable<string, array{int, string}> calls of the recorder, and code */
    public static function bodies(): iterable
    {
        yield 'import' => [0, '<?php use function strlen; use function a\{b, c}; if (true) {}'];
        yield 'no body' => [0, '<?php interface A { public function a(array $b = [1]): int; }'];
        yield 'class, match and arrow function' => [0, '<?php class A { const B = 1; } match (1) { 1 => fn () => 1 };'];
        yield 'two methods' => [2, '<?php class A { function list() {} function &b(#[C(1)] $c = [1]): ?D {} }'];
        yield 'a closure in a function' => [2, '<?php function a() { return function () use (&$b): int {}; }'];
        yield 'a class in a method' => [2, '<?php class A { function b() { return new class { function c() {} }; } }'];
    }

    #[Test]
    #[DataProvider('bodies')]
    public function the_recorder_is_called_in_each_body(int $calls, string $code): void
    {
        $instrumented = Instrumentation::of($code);

        self::assertSame($calls, substr_count($instrumented, '::visit();'));
        self::assertSame($code, str_replace(' \\'.Recorder::class.'::visit();', '', $instrumented));
    }

    #[Test]
    public function counts_of_a_walk_show_the_most_called_class_first(): void
    {
        $walk = new Walk(['A' => 1, 'B' => 5], ['A → B' => 3], ['src/A.php']);
        $counts = array_column($walk->counts('walk'), null, 'name');

        self::assertSame([2, 6, 3, 1], array_column($counts, 'value'));
        self::assertSame(['B: 5 calls', 'A: 1 calls'], $counts['walk.classes']->offenders);
        self::assertSame(['src/A.php'], $counts['walk.files']->offenders);
    }

    /** @param string $program with %s for the namespace of the sample */
    private static function walkOf(string $program, mixed &$result): Walk
    {
        $name = bin2hex(random_bytes(6));
        $file = sys_get_temp_dir()."/headroom-walk-{$name}.php";
        $namespace = "Headroom\\Planted{$name}";

        try {
            file_put_contents($file, Instrumentation::of(sprintf(self::SAMPLE, $name)));
            require $file;
            file_put_contents($file, '<?php '.sprintf($program, $namespace));
            Recorder::begin();
            $result = require $file;
        } finally {
            unlink($file);
        }

        $walk = Recorder::walk();

        return new Walk(self::short($walk->calls, $namespace), self::short($walk->switches, $namespace), $walk->files);
    }

    /**
     * @param array<string, int> $calls
     * @return array<string, int> by names without the namespace, in their order
     */
    private static function short(array $calls, string $namespace): array
    {
        $short = [];

        foreach ($calls as $name => $number) {
            $short[str_replace("{$namespace}\\", '', $name)] = $number;
        }

        ksort($short);

        return $short;
    }
}
