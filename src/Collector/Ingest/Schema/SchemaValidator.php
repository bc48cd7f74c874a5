<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Schema;

use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Support\FileOperation;
use Headroom\Support\InvalidConfig;
use Opis\JsonSchema\Errors\ErrorFormatter;
use Opis\JsonSchema\Errors\ValidationError;
use Opis\JsonSchema\Parsers\SchemaParser;
use Opis\JsonSchema\Resolvers\SchemaResolver;
use Opis\JsonSchema\Schema;
use Opis\JsonSchema\SchemaLoader;
use Opis\JsonSchema\Validator;
use Throwable;

use function array_map;
use function class_exists;
use function file_get_contents;
use function implode;
use function is_object;
use function is_string;
use function json_decode;
use function json_encode;
use function str_replace;

/**
 * What the data of events of certain types must look like. Each schema is read and compiled once.
 *
 * @internal
 */
final readonly class SchemaValidator
{
    /** @param array<string, Schema> $schemas by event type */
    private function __construct(private Validator $validator, private array $schemas) {}

    /**
     * @param array<string, string|array<array-key, mixed>> $schemas by event type; paths of files, or schemas
     * @param string $key where they stand in the configuration
     * @return ?self null when there are none
     *
     * @throws InvalidConfig
     */
    public static function of(array $schemas, string $key = 'collector.intake.schemas'): ?self
    {
        if ($schemas === []) {
            return null;
        }

        if (! class_exists(Validator::class)) {
            throw InvalidConfig::notAllowed(
                $key,
                'set, but the library that checks JSON Schemas is not installed',
                'empty, or run `composer require opis/json-schema:^2.6`',
            );
        }

        $validator = new Validator(new SchemaLoader(
            UniqueItemsParser::putInto(new SchemaParser),
            new SchemaResolver,
            true,
        ));
        $compiled = [];

        foreach ($schemas as $type => $schema) {
            $compiled[$type] = self::compiled($validator, $schema, "{$key}.{$type}");
        }

        return new self($validator, $compiled);
    }

    public function knows(string $type): bool
    {
        return isset($this->schemas[$type]);
    }

    /**
     * @param ?string $data JSON
     *
     * @throws EventError
     */
    public function check(string $type, ?string $data): void
    {
        $schema = $this->schemas[$type] ?? null;

        if ($schema === null) {
            return;
        }

        // The library makes tables of them, and names that all fall into one place of a table cost
        // the square of their number.
        if ($data !== null && JsonSplitter::hasMoreNames($data, IngestLimits::MEMBERS)) {
            throw EventError::schema(
                '/data',
                'The data has more than '.IngestLimits::MEMBERS
                    .' different names, which a schema does not check. Make a list of what is many.',
            );
        }

        // As objects, so that {} and [] are different things. It was read before, but for names
        // that PHP gives no property.
        $value = json_decode($data ?? 'null');

        if ($value === null && $data !== null && json_last_error() !== JSON_ERROR_NONE) {
            throw EventError::schema(
                '/data',
                'The data has a member whose name begins with a NUL, which can not be checked.',
            );
        }

        try {
            $error = $this->validator->validate($value, $schema)->error();
        } catch (Throwable $e) {
            throw EventError::schema('/data', "The schema of this type can not be used for it: {$e->getMessage()}");
        }

        if ($error !== null) {
            throw self::refusal($error);
        }
    }

    /**
     * @param string|array<array-key, mixed> $schema
     *
     * @throws InvalidConfig
     */
    private static function compiled(Validator $validator, string|array $schema, string $key): Schema
    {
        $text = is_string($schema)
            ? FileOperation::run(static fn (): string|false => file_get_contents($schema))
            : json_encode($schema);
        $decoded = $text === false ? null : json_decode($text);

        if (! is_object($decoded)) {
            throw InvalidConfig::notAllowed(
                $key,
                $schema,
                'a JSON Schema as an array, or the path of a readable file with one',
            );
        }

        try {
            $compiled = $validator->loader()->loadObjectSchema($decoded);

            // Its keywords are read when it is used for the first time, which is to be now.
            $validator->validate(null, $compiled);

            return $compiled;
        } catch (Throwable $e) {
            throw InvalidConfig::notAllowed($key, $e->getMessage(), 'a JSON Schema that can be compiled');
        }
    }

    private static function refusal(ValidationError $error): EventError
    {
        $inner = $error->subErrors()[0] ?? null;

        // The innermost first one says most.
        if ($inner instanceof ValidationError) {
            return self::refusal($inner);
        }

        $path = array_map(
            static fn (int|string $part): string => str_replace(['~', '/'], ['~0', '~1'], (string) $part),
            $error->data()->fullPath(),
        );

        return EventError::schema(
            implode('/', ['/data', ...$path]),
            "The data is not what the schema of its type asks for: {$error->keyword()}: "
                .(new ErrorFormatter)->formatErrorMessage($error).'.',
        );
    }
}
