<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SizeTest extends TestCase
{
    private const OURS = [
        'src', 'tests', 'workbench/app', 'workbench/rig', 'workbench/routes', 'workbench/config', 'bin', 'dev',
        'benchmarks', 'config', 'database',
    ];

    #[Test]
    public function no_file_is_longer_than_400_lines(): void
    {
        Breaches::none(Files::code(...self::OURS), HouseRules::fileLength(...));
    }

    #[Test]
    public function no_function_is_longer_than_50_lines(): void
    {
        Breaches::none(Files::php(...self::OURS), HouseRules::functionLength(...));
    }

    #[Test]
    public function no_interface_has_more_than_three_methods(): void
    {
        Breaches::none(Files::php('src'), HouseRules::smallInterfaces(...));
    }

    #[Test]
    public function the_400th_line_is_the_last_one(): void
    {
        self::assertSame([], HouseRules::fileLength(Source::fromCode(str_repeat("\n", 400))));
        self::assertSame(
            ['has 401 lines; 400 are allowed.'],
            HouseRules::fileLength(Source::fromCode(str_repeat("\n", 401))),
        );
        self::assertSame(
            ['has 401 lines; 400 are allowed.'],
            HouseRules::fileLength(Source::fromCode(str_repeat("\n", 400).'x')),
        );
        self::assertSame(
            ['has 401 lines; 400 are allowed.'],
            HouseRules::fileLength(Source::fromCode("<?php\n\$a = [\n".str_repeat("    1,\n", 398)."];\n")),
        );
    }

    #[Test]
    public function the_50th_line_of_a_function_is_the_last_one(): void
    {
        $method = static fn (int $lines): Source => Source::fromCode(
            "<?php\nclass A {\n    public function run(): void\n    {\n"
                .str_repeat("        \$a = \"{\$b}\";\n", $lines - 3)
                ."    }\n    public function short(): void {}\n}\n",
        );

        self::assertSame([], HouseRules::functionLength($method(50)));
        self::assertSame(['run() in line 3 has 51 lines; 50 are allowed.'], HouseRules::functionLength($method(51)));
    }

    #[Test]
    public function the_way_a_statement_is_wrapped_does_not_count_for_its_function(): void
    {
        $function = static fn (string $statement): Source
            => Source::fromCode("<?php\nfunction f() {\n".str_repeat($statement, 49)."}\n");
        $wrapped = "\$a = g(\n    [\n        1,\n    ],\n)\n    ->h()\n    && \$b\n    ? 1\n    : 2;\n";
        $closure = "\$a = g(\n    function () {\n        h();\n    },\n);\n";

        self::assertSame(
            ['f() in line 2 has 51 lines; 50 are allowed.'],
            HouseRules::functionLength($function($wrapped)),
        );
        self::assertSame(3 + 49 * 9, $function($wrapped)->lines());
        self::assertContains(
            'f() in line 2 has 149 lines; 50 are allowed.',
            HouseRules::functionLength($function($closure)),
        );
    }

    #[Test]
    public function plain_functions_and_closures_are_measured_too(): void
    {
        $long = str_repeat("\n", 60);

        self::assertCount(1, HouseRules::functionLength(Source::fromCode("<?php function a() {{$long}}")));
        self::assertCount(
            1,
            HouseRules::functionLength(Source::fromCode("<?php \$a = function () use (\$b): int {{$long}};")),
        );
        self::assertCount(
            1,
            HouseRules::functionLength(Source::fromCode("<?php class A { function list() {{$long}} }")),
        );
        self::assertSame(
            [],
            HouseRules::functionLength(Source::fromCode("<?php interface A { function a(): int; }{$long}")),
        );
        self::assertSame([], HouseRules::functionLength(Source::fromCode("<?php use function strlen;{$long} {}")));
    }

    #[Test]
    public function a_fourth_method_of_an_interface_is_seen(): void
    {
        $three = 'public function a(): void; public function b(): void; public function c(): void;';

        self::assertSame(
            [],
            HouseRules::smallInterfaces(Source::fromCode("<?php namespace N; interface A extends B { {$three} }")),
        );
        self::assertSame(
            [],
            HouseRules::smallInterfaces(
                Source::fromCode('<?php class A { '.str_replace(';', ' {}', $three).' function d() {} }'),
            ),
        );
        self::assertSame(
            ['N\A has 4 methods; an interface may have 3. Extra powers are extra interfaces.'],
            HouseRules::smallInterfaces(Source::fromCode(
                "<?php namespace N; interface A { const X = A::class; {$three} public function d(): void; }",
            )),
        );
    }
}
