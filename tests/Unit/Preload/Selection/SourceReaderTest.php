<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Preload\Selection\SourceReader;
use Headroom\Preload\Selection\UnableToRead;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SourceReaderTest extends TestCase
{
    /** @param array<string, list<string>> $ancestors by class */
    #[Test]
    #[DataProvider('pure')]
    public function a_file_that_only_declares_is_read_with_all_that_its_classes_need(
        string $code,
        array $ancestors,
    ): void {
        $source = SourceReader::parse($code, 'a.php');

        self::assertNull($source->impurity);
        self::assertSame($ancestors, self::ancestors($code));
    }

    /** @param array<string, list<string>> $ancestors by class */
    #[Test]
    #[DataProvider('impure')]
    public function a_file_that_does_more_names_the_line_and_its_classes_are_known(
        string $code,
        int $line,
        array $ancestors,
    ): void {
        $source = SourceReader::parse($code, 'a.php');

        self::assertMatchesRegularExpression("/ {$line}\\b/", (string) $source->impurity);
        self::assertSame($ancestors, self::ancestors($code));
    }

    #[Test]
    #[Group('snapshot')]
    public function each_kind_of_code_outside_of_classes_has_its_words(): void
    {
        $words = '';

        foreach (self::impure() as $name => [$code]) {
            $words .= "{$name}: ".SourceReader::parse($code, 'a.php')->impurity."\n";
        }

        Snapshot::assertPrinted('preload source', 'code outside of classes', $words);
    }

    #[Test]
    public function a_file_with_broken_php_or_without_permission_is_named(): void
    {
        $directory = TemporaryDirectory::create('reader');
        $broken = $directory->write('Broken.php', "<?php\n\nclass {");
        $none = $directory->file('None.php');

        foreach ([
            $broken => [$broken, PHP_VERSION, ' 3', 'unexpected token "{"'],
            $none => [UnableToRead::notReadable($none)->getMessage()],
        ] as $path => $shown) {
            try {
                SourceReader::read($path);
                self::fail("{$path} was read.");
            } catch (UnableToRead $e) {
                foreach ($shown as $part) {
                    self::assertStringContainsString($part, $e->getMessage());
                }
            }
        }

        $directory->remove();
    }

    /** @return iterable<string, array{string, array<string, list<string>>}> */
    public static function pure(): iterable
    {
        yield 'nothing' => ['', []];
        yield 'an empty script' => ['<?php ', []];
        yield 'no namespace' => ['<?php class A extends B implements C, \D\E {}', ['A' => ['B', 'C', 'D\E']]];
        yield 'a namespace' => [
            '<?php declare(strict_types=1); namespace N; class A extends B implements namespace\C, D\E, \F {}',
            ['N\A' => ['N\B', 'N\C', 'N\D\E', 'F']],
        ];
        yield 'two namespaces, each with its imports' => [
            '<?php namespace N; use X\B; class A extends B {} namespace M; class A extends B {}',
            ['N\A' => ['X\B'], 'M\A' => ['M\B']],
        ];
        yield 'namespaces in braces' => [
            '<?php namespace N { use X\B; class A extends B {} } namespace { class A extends B {} } namespace M\O {'
                .' interface A extends B, \C {} }',
            ['N\A' => ['X\B'], 'A' => ['B'], 'M\O\A' => ['M\O\B', 'C']],
        ];
        yield 'imports' => [
            '<?php namespace N; use X\B, Y\C as D; use \Z; class A extends b implements D, Z\E, C {}',
            ['N\A' => ['X\B', 'Y\C', 'Z\E', 'N\C']],
        ];
        yield 'imports in a group' => [
            '<?php namespace N; use X\{B, Y\C as D, E,}; use \W\V\{F}; class A extends B implements D, E\G, F {}',
            ['N\A' => ['X\B', 'X\Y\C', 'X\E\G', 'W\V\F']],
        ];
        yield 'imports of functions and constants are no classes' => [
            '<?php namespace N; use function X\B; use const X\C; use function Y\{D, E};'
                .' class A extends B implements C, D {}',
            ['N\A' => ['N\B', 'N\C', 'N\D']],
        ];
        yield 'a group of all kinds' => [
            '<?php namespace N; use X\{function B as F, const C, D, const E as G}; class A extends B implements'
                .' C, D, F, G {}',
            ['N\A' => ['N\B', 'N\C', 'X\D', 'N\F', 'N\G']],
        ];
        yield 'an enum' => [
            '<?php namespace N; enum A: string implements B, \C { use T; case Class_ = "{"; case Interface = "b";'
                .' const Trait = self::Interface; }',
            ['N\A' => ['N\B', 'C', 'N\T']],
        ];
        yield 'an enum without a type' => [
            '<?php enum A implements B { case X; } enum C: int {} enum D {}', ['A' => ['B'], 'C' => [], 'D' => []],
        ];
        yield 'modifiers' => [
            '<?php final readonly class A extends B {} abstract class C {} readonly final class D {}',
            ['A' => ['B'], 'C' => [], 'D' => []],
        ];
        yield 'attributes' => [
            '<?php #[X([1, [2, Y::class]]), Z(class: Q::class)] #[W("]")] final class A { #[V([[]])] public function'
                .' f(#[U([1])] int $a = 1) { return $a; } }',
            ['A' => []],
        ];
        yield 'an interface and a trait' => [
            '<?php interface A extends B, C {} trait D { use E, \F; abstract function f(); }',
            ['A' => ['B', 'C'], 'D' => ['E', 'F']],
        ];
        yield 'traits with rules' => [
            '<?php namespace N; use X\T; class A { use T, U { T::f insteadof U; U::f as protected g; } use V;'
                .' public function f(): void { $x = function () use ($x): void {}; } }',
            ['N\A' => ['X\T', 'N\U', 'N\V']],
        ];
        yield 'closures behind which a trait follows' => [
            '<?php class A { function f() { return [function () use (&$b) { return static fn () => $b;'
                .' }, fn ($c) => match (true) { default => $c }]; } use T; }',
            ['A' => ['T']],
        ];
        yield 'strings with braces' => [
            '<?php class A { function f($a) { return "{$a}" . "${a}" . "{{$a}}" . "{$a[\'}\']}" . "}}" . "\{$a}" .'
                .' \'{\'; } use T; }',
            ['A' => ['T']],
        ];
        yield 'a heredoc and a nowdoc' => [
            "<?php class A { function f(\$a) { return <<<X\n { {\$a->b['c']} } class B extends C {\n X ."
                ." <<<'Y'\n }}}\n Y; } use T; }",
            ['A' => ['T']],
        ];
        yield 'what is called class' => [
            '<?php namespace N; class A { public $class; const USE = A::class; function class() { return $this->class .'
                .' $this?->class . static::class . $this::class . $this->use() . self::USE; } function use() { return'
                .' new static; } function namespace() { f(class: 1, use: 2, interface: 3, enum: 4);'
                .' } function enum() {} static function trait() { return self::trait() . A::enum(); } use T; }',
            ['N\A' => ['N\T']],
        ];
        yield 'anonymous classes' => [
            '<?php namespace N; class A { function f() { return new class extends B implements C { use T;'
                .' function g() { return new #[D([1])] class (1) implements E {}; } }; } function h() { return new'
                .' class {}; } use U; }',
            ['N\A' => ['N\B', 'N\C', 'N\T', 'N\E', 'N\U']],
        ];
        yield 'an anonymous class among the arguments of one' => [
            '<?php class A { function f() { return new class (new class (f(new class extends B {})) extends C { use T;'
                .' }, [1, (2)]) extends D { use U; }; } use V; }',
            ['A' => ['B', 'C', 'T', 'D', 'U', 'V']],
        ];
        yield 'new objects of named classes' => [
            '<?php class A { function f() { return [new B, new \C(), new (D::class), new $e, new static]; } }',
            ['A' => []],
        ];
        yield 'hints' => [
            '<?php namespace N; class_exists(A::class); \interface_exists(\X\B::class); enum_exists(C::class);'
                .' class D {} trait_exists(E::class);',
            ['N\D' => []],
        ];
        yield 'comments' => [
            "<?php # class X\n// class Y\n/* class Z extends */ class /* a */ A /** b */ extends # c\n B {}",
            ['A' => ['B']],
        ];
        yield 'the end of PHP instead of a semicolon' => [
            "<?php declare(strict_types=1) ?>\n<?php namespace N ?>\n<?php use X\\B ?>\n<?php class A"
                ." extends B {} ?>\n",
            ['N\A' => ['X\B']],
        ];
        yield 'each ancestor once' => [
            '<?php class A extends B implements C { function f() { return new class extends B {}; } }',
            ['A' => ['B', 'C']],
        ];
    }

    /**
     * @return iterable<string, array{string, int, array<string, list<string>>}> code, line of what is not a class,
     *     ancestors by class
     */
    public static function impure(): iterable
    {
        yield 'a function' => [
            '<?php function f() { class X {} return new class extends Y {}; } class A extends B {}', 1, ['A' => ['B']],
        ];
        yield 'a function with an attribute' => [
            '<?php #[X] function f(): void {} #[Y([1])] class A {}', 1, ['A' => []],
        ];
        yield 'a constant' => ["<?php namespace N;\nconst C = 1; class A extends B {}", 2, ['N\A' => ['N\B']]];
        yield 'define' => ['<?php define("C", 1); class A {}', 1, ['A' => []]];
        yield 'an alias' => [
            '<?php namespace N; use X\B; class A extends B {} class_alias(A::class, "C");', 1, ['N\A' => ['X\B']],
        ];
        yield 'a condition' => [
            '<?php namespace N; use X\B; if (! class_exists(A::class)) { class A extends B {} } else { class A'
                .' extends C {} }',
            1,
            ['N\A' => ['X\B']],
        ];
        yield 'a condition without braces' => ['<?php if (! defined("X")) exit; class A {}', 1, ['A' => []]];
        yield 'imports behind it' => [
            '<?php namespace N; f(function () use ($x) { return new class extends Y {}; }); use X\{B, C};'
                .' class A extends B implements C {} namespace M; class A extends B {}',
            1,
            ['N\A' => ['X\B', 'X\C'], 'M\A' => ['M\B']],
        ];
        yield 'a return' => ['<?php class A {} return;', 1, ['A' => []]];
        yield 'a value that is returned' => ['<?php return new class extends A {};', 1, []];
        yield 'a hint with more to it' => ['<?php class_exists(A::class, false); class B {}', 1, ['B' => []]];
        yield 'a hint that is the result of something' => [
            '<?php class_exists(A::class) || exit; class B {}', 1, ['B' => []],
        ];
        yield 'another function called as one' => ['<?php load(A::class); class B {}', 1, ['B' => []]];
        yield 'ticks' => ['<?php declare(ticks=1); class A {}', 1, ['A' => []]];
        yield 'ticks beside strict types' => ['<?php declare(strict_types=1, ticks=1); class A {}', 1, ['A' => []]];
        yield 'data' => ['<?php class A {} __halt_compiler();class B {}', 1, ['A' => []]];
        yield 'text before' => ['text <?php class A {}', 1, ['A' => []]];
        yield 'text behind' => ["<?php class A {} ?>\n<p>class B {}", 2, ['A' => []]];
        yield 'text of a short tag' => ['<?= A::class ?><?php class A {}', 1, ['A' => []]];
        yield 'a mark of the byte order' => ["\xEF\xBB\xBF<?php class A {}", 1, ['A' => []]];
        yield 'a first line for the shell' => ["#!/usr/bin/env php\n<?php class A {}", 1, ['A' => []]];
        yield 'a class within a method' => [
            '<?php class A { function f() { if (true) { class X extends Y { use Z; } } } use T; } class B extends A {}',
            1,
            ['A' => ['T'], 'B' => ['A']],
        ];
        yield 'a class within a method of one without a name' => [
            '<?php class A { function f() { return new class { function g() { interface X {} } }; } }', 1, ['A' => []],
        ];
        yield 'include' => ['<?php require __DIR__."/b.php"; class A {}', 1, ['A' => []]];
        yield 'a function of the namespace' => ['<?php namespace N; namespace\f(); class A {}', 1, ['N\A' => []]];
    }

    /** @return array<string, list<string>> by class */
    private static function ancestors(string $code): array
    {
        $ancestors = [];

        foreach (SourceReader::parse($code, 'a.php')->declarations as $declaration) {
            $ancestors[$declaration->name] = $declaration->ancestors;
        }

        return $ancestors;
    }
}
