<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use __PHP_Incomplete_Class;
use DateTimeImmutable;
use Headroom\Spool\Compat\CallbackBuffer;
use Headroom\Spool\Compat\RowWithLineBreaks;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The lines of the file that a callback is handed.
 */
#[Group('smoke')]
final class CallbackFileTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = [];
    }

    #[Test]
    public function a_line_of_the_file_has_the_values_that_an_insert_would_get(): void
    {
        $row = [
            'text' => 'Zürich "a\\b"; 🎈',
            'lines' => "a\\\r\nb\n\"",
            'int' => -7,
            'float' => 0.1,
            'whole' => 3.0,
            'no' => false,
            'nothing' => null,
            "two\nlines" => 1,
        ];
        $this->buffer()
            ->bucket('own')
            ->add([
                ...$row,
                'list' => ['a' => 1],
                'at' => new DateTimeImmutable('2026-03-04 05:06:07.891+02:00'),
                'broken' => "a\xFF",
            ]);
        $seen = [];
        $this->buffer()->flush(function (string $file) use (&$seen): bool {
            self::assertSame(0600, fileperms($file) & 0777);

            foreach ((array) file($file, FILE_IGNORE_NEW_LINES) as $line) {
                $seen[] = unserialize((string) $line);
            }

            return true;
        }, 'own');

        self::assertSame(
            [['payload' => [...$row, 'list' => '{"a":1}', 'at' => '2026-03-04 05:06:07', 'broken' => 'a�']]],
            $seen,
        );
    }

    #[Test]
    public function only_a_row_with_a_line_break_has_another_form_at_any_serialize_precision(): void
    {
        $plain = ['plain' => 'a\b', 'float' => 1 / 3, 'yes' => true];
        $broken = ['plain' => 'x\n\\', 'broken' => "a\nb\r", 'float' => 1 / 3];
        $this->buffer()->bucket('own')->addMany([$plain, $broken]);
        $lines = [];
        $before = (string) ini_set('serialize_precision', '5');

        try {
            $this->buffer()->flush(function (string $file) use (&$lines): bool {
                $lines = (array) file($file, FILE_IGNORE_NEW_LINES);

                return true;
            }, 'own');
        } finally {
            ini_set('serialize_precision', $before);
        }

        $objects = array_map(
            static fn (mixed $line): int => substr_count((string) $line, RowWithLineBreaks::class),
            $lines,
        );
        $rows = array_map(static fn (mixed $line): mixed => unserialize((string) $line), $lines);
        self::assertSame([0, 1], $objects);
        self::assertSame([['payload' => $plain], ['payload' => $broken]], $rows);
    }

    #[Test]
    public function no_line_of_the_file_makes_php_complain(): void
    {
        $this->buffer()->bucket('own')->addMany([
            ['text' => "a\nb", 'at' => new DateTimeImmutable],
            ['text' => "\r\n\0", "two\nlines" => 1.5],
            ['text' => ''],
        ]);
        $complaints = [];
        $rows = [];
        $this->buffer()->flush(function (string $file) use (&$complaints, &$rows): bool {
            set_error_handler(static function (int $level, string $message) use (&$complaints): bool {
                $complaints[] = [$level, $message];

                return true;
            });

            try {
                $lines = (array) file($file, FILE_IGNORE_NEW_LINES);
                $rows = array_map(static fn (mixed $line): mixed => unserialize((string) $line), $lines);
            } finally {
                restore_error_handler();
            }

            return true;
        }, 'own');

        self::assertSame([], $complaints);
        self::assertCount(3, $rows);
        self::assertSame(['payload' => ['text' => "\r\n\0", "two\nlines" => 1.5]], $rows[1]);
        self::assertSame(["a\nb", "\r\n\0", ''], array_column(array_column($rows, 'payload'), 'text'));
    }

    #[Test]
    public function a_call_that_allows_no_classes_gets_no_other_row(): void
    {
        $this->buffer()->bucket('own')->add(['text' => "a\nb"]);
        $rows = [];
        $this->buffer()->flush(function (string $file) use (&$rows): bool {
            $line = trim((string) file_get_contents($file));
            $rows = [
                unserialize($line, ['allowed_classes' => [RowWithLineBreaks::class]]),
                unserialize($line, ['allowed_classes' => false]),
            ];

            return true;
        }, 'own');

        self::assertSame(['payload' => ['text' => "a\nb"]], $rows[0] ?? null);
        self::assertContainsOnlyInstancesOf(__PHP_Incomplete_Class::class, (array) ($rows[1] ?? []));
        self::assertCount(1, (array) ($rows[1] ?? []));
    }

    private function buffer(): CallbackBuffer
    {
        return new CallbackBuffer($this->spool->runtime());
    }
}
