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
 * Validates the data of events against the JSON Schema of their type. Each schema is compiled once.
 *
 * @internal
 */
final readonly class SchemaValidator
{
    /** @param array<string, Schema> $schemas by event type */
    private function __construct(private Validator $validator, private array $schemas) {}

    /**
     * @param array<string, string|array<array-key, mixed>> $schemas by event type: schemas, or paths of schema files
     * @param string $key of the configuration, for errors
     * @return ?self null without schemas
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

        // The library puts the names into PHP arrays, where colliding names take quadratic time.
        if ($data !== null && JsonSplitter::hasMoreNames($data, IngestLimits::MEMBERS)) {
            throw EventError::schema(
                '/data',
                'The data has more than '.IngestLimits::MEMBERS
                    .' different member names, too many to validate. Use an array for repeated values.',
            );
        }

        // Decode as objects, so that {} and [] differ. The data is valid JSON, but an object cannot have a member
        // whose name begins with NUL.
        $value = json_decode($data ?? 'null');

        if ($value === null && $data !== null && json_last_error() !== JSON_ERROR_NONE) {
            throw EventError::schema(
                '/data',
                'The data has a member whose name begins with NUL, which cannot be validated.',
            );
        }

        try {
            $error = $this->validator->validate($value, $schema)->error();
        } catch (Throwable $e) {
            throw EventError::schema('/data', "The schema of this type failed on the data: {$e->getMessage()}");
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
                'a JSON Schema as an array, or the path of a readable schema file',
            );
        }

        try {
            $compiled = $validator->loader()->loadObjectSchema($decoded);

            // The library parses keywords on first use. Do that now, so that errors appear at the start.
            $validator->validate(null, $compiled);

            return $compiled;
        } catch (Throwable $e) {
            throw InvalidConfig::notAllowed($key, $e->getMessage(), 'a JSON Schema that can be compiled');
        }
    }

    private static function refusal(ValidationError $error): EventError
    {
        $inner = $error->subErrors()[0] ?? null;

        // The first innermost error is the most specific.
        if ($inner instanceof ValidationError) {
            return self::refusal($inner);
        }

        $path = array_map(
            static fn (int|string $part): string => str_replace(['~', '/'], ['~0', '~1'], (string) $part),
            $error->data()->fullPath(),
        );

        return EventError::schema(
            implode('/', ['/data', ...$path]),
            "The data does not match the schema of its type: {$error->keyword()}: "
                .(new ErrorFormatter)->formatErrorMessage($error).'.',
        );
    }
}
