<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

/**
 * A row with line breaks, in one line of the file that a callback gets. unserialize() puts the row itself in the place
 * of this object. A call of unserialize() with `allowed_classes` must name this class.
 */
final readonly class RowWithLineBreaks
{
    private const ESCAPES = ['\\' => '\\\\', "\r" => '\\r', "\n" => '\\n'];

    /**
     * @param non-empty-array<string, scalar|null> $row
     * @return array<string, scalar|null>
     *
     * @internal
     */
    public static function escaped(array $row): array
    {
        return self::mapped($row, self::ESCAPES);
    }

    /** @param array{array<string, scalar|null>, mixed} $data the escaped row and a reference to this object's place */
    public function __unserialize(array $data): void
    {
        $data[1] = self::mapped($data[0], array_flip(self::ESCAPES));
    }

    /**
     * @param array<string, scalar|null> $row
     * @param non-empty-array<string, string> $by
     * @return array<string, scalar|null>
     */
    private static function mapped(array $row, array $by): array
    {
        $mapped = [];

        foreach ($row as $name => $value) {
            $mapped[strtr($name, $by)] = is_string($value) ? strtr($value, $by) : $value;
        }

        return $mapped;
    }
}
