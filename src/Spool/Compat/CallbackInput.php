<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Core\Batch;
use ReflectionIntersectionType;
use ReflectionNamedType;
use ReflectionType;
use ReflectionUnionType;

/**
 * The form in which a callback gets its events.
 *
 * @internal
 */
enum CallbackInput
{
    /** The path of a file with a serialized row in each line. */
    case File;

    /** A list of rows. */
    case Rows;

    /** Records, as a sink gets them. */
    case Batch;

    /**
     * @param ?ReflectionType $type type of the first parameter
     *
     * @throws InvalidCallback
     */
    public static function of(?ReflectionType $type): self
    {
        $names = array_map(
            static fn (ReflectionNamedType|ReflectionIntersectionType $part): string
                => $part instanceof ReflectionNamedType ? $part->getName() : '',
            match (true) {
                $type instanceof ReflectionUnionType => $type->getTypes(),
                $type instanceof ReflectionNamedType => [$type],
                default => [],
            },
        );

        return match (true) {
            $type === null, array_intersect(['string', 'mixed'], $names) !== [] => self::File,
            array_intersect(['iterable', 'array'], $names) !== [] => self::Rows,
            in_array(Batch::class, $names, true) => self::Batch,
            default => throw InvalidCallback::takes((string) $type),
        };
    }
}
