<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Opis\JsonSchema\Errors\ErrorFormatter;
use Opis\JsonSchema\Validator;
use PHPUnit\Framework\Assert;

/**
 * Checks the output of `headroom:bench:queues --json` against its schema.
 */
final readonly class Schema
{
    public static function assertMatches(string $document): void
    {
        $schema = (string) file_get_contents(dirname(__DIR__, 4).'/resources/schema/queues.schema.json');
        $result = (new Validator)->validate(json_decode($document, flags: JSON_THROW_ON_ERROR), $schema);
        $error = $result->error();

        Assert::assertNull(
            $error,
            $error === null
                ? ''
                : (string) json_encode((new ErrorFormatter)->format($error, false), JSON_UNESCAPED_SLASHES),
        );
    }
}
