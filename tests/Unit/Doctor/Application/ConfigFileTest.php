<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Application;

use Headroom\Doctor\Application\ConfigFile;
use Headroom\Doctor\Edit;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * A change of config/ is one that PHP reads as it was meant, and touches nothing else.
 */
final class ConfigFileTest extends DirectoryTestCase
{
    /** @return iterable<string, array{string, array<string, string>}> */
    public static function files(): iterable
    {
        $both = ['r.a.t' => '7', 'r.a.u' => '1.5'];

        yield 'on one line' => ["return ['r' => ['a' => ['t' => 1, 'u' => 2], 'b' => ['t' => 1]]];", $both];
        yield 'on one line, to be added' => ["return ['r' => ['a' => ['h' => 'x'], 'b' => ['t' => 1]]];", $both];
        yield 'one is there and one is not' => [
            "return ['r' => ['a' => ['h' => 'x', 'u' => null,], 'b' => ['t' => 1]]];",
            $both,
        ];
        yield 'an empty array' => ["return ['r' => ['a' => []]];", $both];
        yield 'on lines of their own' => [
            "return [\n    'r' => [\n        'a' => [\n            'h' => env('H', 'x'), // t\n            "
                ."'t' => null,\n        ],\n        'b' => ['t' => 1],\n    ],\n];",
            $both,
        ];
        yield 'to be added to lines' => [
            "return [\n    'r' => [\n        'a' => [\n            'h' => ['x', 'y'],\n        ],\n    ],\n];",
            $both,
        ];
        yield 'after a nested array' => [
            "return [\n    'r' => [\n        'a' => [\n            'h' => [\n                'x',\n        "
                ."],\n        ],\n    ],\n];",
            $both,
        ];
        yield 'a long array and a function before it' => [
            "\$f = function () { if (true) { return [1]; } };\nreturn array('r' => array('a' => array(\"h\" => 1)));",
            ['r.a.t' => '7'],
        ];
        yield 'a spread that another key follows' => [
            "\$c = ['t' => 1];\n\nreturn ['r' => ['a' => [...\$c, 'h' => 2]]];",
            ['r.a.t' => '7'],
        ];
        yield 'a key of text that looks like brackets' => [
            "return ['r' => ['x' => '] [ => (', 'a' => ['t' => 'no (']]];",
            ['r.a.t' => '7'],
        ];
        yield 'lines that end as in Windows' => ["return [\r\n    'r' => ['a' => ['t' => 1]],\r\n];", $both];
    }

    /** @param array<string, string> $settings */
    #[Test]
    #[DataProvider('files')]
    public function a_change_is_read_as_it_was_meant_and_nothing_else_is_touched(string $code, array $settings): void
    {
        $path = $this->directory->write(
            'c.php',
            "<?php\n\nfunction_exists('env') || eval('function env(\$name, \$default = null) { return \$default;"
                ." }');\n\n{$code}\n",
        );
        $before = require $path;
        $edits = ConfigFile::edits($path, (string) file_get_contents($path), $settings);
        self::assertNotSame([], $edits);
        $expected = $before;

        foreach ($settings as $key => $value) {
            data_set($expected, $key, json_decode($value));
        }

        foreach (array_reverse($edits) as $edit) {
            file_put_contents($path, $edit->appliedTo((string) file_get_contents($path)));
        }

        self::assertEquals($expected, require $path);
        self::assertDoesNotMatchRegularExpression('/[ \t]\r?$/m', (string) file_get_contents($path));
        // The same change again changes nothing.
        $text = (string) file_get_contents($path);
        $again = array_reduce(
            ConfigFile::edits($path, $text, $settings),
            static fn (string $text, Edit $edit): string => $edit->appliedTo($text),
            $text,
        );
        self::assertSame($text, $again);
    }

    /** @return iterable<string, array{string}> */
    public static function unreadable(): iterable
    {
        yield 'of a variable of the environment' => ["return ['r' => ['a' => ['t' => env('T', 1)]]];"];
        yield 'a spread that follows' => ["return ['r' => ['a' => ['t' => 1, ...\$c]]];"];
        yield 'a call' => ["return ['r' => array_merge(['a' => ['t' => 1]], \$c)];"];
        yield 'a variable' => ["return ['r' => ['a' => \$c]];"];
        yield 'a sum' => ["return ['r' => ['a' => ['t' => 1 + 2]]];"];
        yield 'no comma to follow' => ["return ['r' => ['a' => [\n    'h' => 1\n]]];"];
        yield 'no array' => ["\$c = ['r' => ['a' => ['t' => 1]]];"];
        yield 'no such key' => ["return ['r' => ['b' => ['t' => 1]]];"];
        yield 'a file that ends early' => ["return ['r' => ['a' => ['t' => 1"];
    }

    #[Test]
    #[DataProvider('unreadable')]
    public function what_is_not_written_out_is_left_alone(string $code): void
    {
        $path = $this->directory->write('c.php', "<?php\n\n{$code}\n");

        self::assertSame([], ConfigFile::edits($path, (string) file_get_contents($path), ['r.a.t' => '7']));
    }

    #[Test]
    public function a_file_that_has_changed_meanwhile_is_left_alone(): void
    {
        $path = $this->directory->write('c.php', "<?php return ['t' => 1];");

        self::assertSame([], ConfigFile::edits($path, "<?php return ['t' => 2];", ['t' => '7']));
        self::assertSame([], ConfigFile::edits($path, null, ['t' => '7']));
        self::assertSame([], ConfigFile::edits("{$path}.gone", '', ['t' => '7']));
    }
}
