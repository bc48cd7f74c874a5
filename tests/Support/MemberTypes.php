<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;
use RuntimeException;
use stdClass;

/**
 * Exit codes and the names and types of the members of printed JSON, kept in one file. `make snapshots` writes it
 * again. A list is told by the different types of its elements; an integer and a float are both a number.
 */
final readonly class MemberTypes
{
    private const FLAGS = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR;

    /** @param list<string> $timed names of members that are a number or null, depending on when the command runs */
    public function __construct(private string $file, private array $timed = []) {}

    /** @param string $printed one JSON document, or one a line; or nothing */
    public function assertSame(string $case, int $exit, string $printed): void
    {
        $seen = ['exit' => $exit, 'documents' => self::unique(array_map($this->type(...), self::documents($printed)))];

        if (getenv('HEADROOM_SNAPSHOTS') === 'write') {
            $this->write($case, $seen);
        }

        $kept = self::read((string) @file_get_contents($this->file))[$case] ?? null;
        Assert::assertNotNull($kept, "{$this->file} has no '{$case}'. Write it with: make snapshots");
        Assert::assertSame(
            json_encode($kept, self::FLAGS),
            json_encode($seen, self::FLAGS),
            "{$this->file}, '{$case}': {$printed}",
        );
    }

    /** @return list<mixed> */
    private static function documents(string $printed): array
    {
        $document = json_decode($printed);

        if ($printed === '' || json_last_error() === JSON_ERROR_NONE) {
            return $printed === '' ? [] : [$document];
        }

        return array_map(
            static fn (string $line): mixed => json_decode($line, flags: JSON_THROW_ON_ERROR),
            explode("\n", trim($printed)),
        );
    }

    /** @return string|array<array-key, mixed>|stdClass */
    private function type(mixed $value): string|array|stdClass
    {
        if ($value instanceof stdClass) {
            $members = array_map($this->type(...), (array) $value);

            foreach ($this->timed as $name) {
                if (in_array($members[$name] ?? '', ['null', 'number'], true)) {
                    $members[$name] = 'null or number';
                }
            }

            return (object) $members;
        }

        return match (true) {
            is_array($value) => self::unique(array_map($this->type(...), array_values($value))),
            is_int($value), is_float($value) => 'number',
            default => get_debug_type($value),
        };
    }

    /**
     * @param list<mixed> $types
     * @return list<mixed>
     */
    private static function unique(array $types): array
    {
        $unique = [];

        foreach ($types as $type) {
            $unique[json_encode($type, JSON_THROW_ON_ERROR)] = $type;
        }

        ksort($unique, SORT_STRING);

        return array_values($unique);
    }

    /** @param array<string, mixed> $seen */
    private function write(string $case, array $seen): void
    {
        $stream = fopen($this->file, 'c+');
        is_resource($stream) || throw new RuntimeException("{$this->file} cannot be written.");
        flock($stream, LOCK_EX);
        $cases = [$case => $seen] + self::read((string) stream_get_contents($stream));
        ksort($cases, SORT_STRING);
        ftruncate($stream, 0);
        rewind($stream);
        fwrite($stream, json_encode($cases, self::FLAGS)."\n");
        fclose($stream);
    }

    /** @return array<string, mixed> */
    private static function read(string $text): array
    {
        /** @var array<string, mixed> $cases */
        $cases = $text === '' ? [] : get_object_vars((object) json_decode($text, flags: JSON_THROW_ON_ERROR));

        return $cases;
    }
}
