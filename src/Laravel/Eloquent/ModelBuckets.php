<?php

declare(strict_types=1);

namespace Headroom\Laravel\Eloquent;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Buffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\InvalidConfig;
use Illuminate\Container\Container;
use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Database\Eloquent\Model;
use WeakMap;

/**
 * Finds the bucket of a model, and checks that the bucket delivers into the model's table.
 *
 * @internal
 */
final class ModelBuckets
{
    private const MAX_LENGTH = 64;

    /** @var ?WeakMap<SpoolConfig, array<string, true>> successful checks, by bucket, connection and table */
    private static ?WeakMap $checked = null;

    /**
     * @param non-empty-array<int, Model> $models
     * @param non-empty-list<array<string, mixed>> $rows the rows of the models
     *
     * @throws HeadroomException
     */
    public static function add(array $models, array $rows, bool $afterCommit): void
    {
        $app = Container::getInstance();
        $bucket = self::bucketOf($models[0]);
        $connections = $app->make(ConnectionResolverInterface::class);

        foreach ($models as $model) {
            self::check(
                $app->make(SpoolServices::class)->settings()->whole(),
                $bucket,
                $model,
                $connections->getDefaultConnection(),
            );
        }

        $buffer = $app->make(Buffer::class);
        $buffer = $afterCommit ? $buffer->afterCommit($models[0]->getConnectionName()) : $buffer;
        count($rows) === 1 ? $buffer->bucket($bucket)->add($rows[0]) : $buffer->bucket($bucket)->addMany($rows);
    }

    /** Derives a bucket name from a table name: docs/models.md. */
    public static function nameOf(string $table): string
    {
        $name = ltrim((string) preg_replace('/[^a-z0-9._-]/', '-', strtolower($table)), '._-');

        // The hash keeps two long names with the same beginning apart.
        return strlen($name) <= self::MAX_LENGTH
            ? $name
            : substr($name, 0, self::MAX_LENGTH - 9).'-'.hash('crc32b', $table);
    }

    private static function bucketOf(Model $model): string
    {
        $name = method_exists($model, 'bufferBucket') ? $model->bufferBucket() : null;

        return is_string($name) ? $name : self::nameOf($model->getTable());
    }

    /** @throws InvalidConfig */
    private static function check(SpoolConfig $config, string $bucket, Model $model, string $default): void
    {
        $connection = $model->getConnectionName() ?? $default;
        $key = "{$bucket}\n{$connection}\n{$model->getTable()}";
        self::$checked ??= new WeakMap;

        if (isset(self::$checked[$config][$key])) {
            return;
        }

        $declared = $config->bucket($bucket);

        // A sink of another kind may store the rows anywhere. Events of an undeclared bucket wait, which spool:health
        // reports.
        if ($declared !== null && $declared->sink === 'database') {
            $table = $declared->options->optionalString('table');
            $goesTo = $declared->options->optionalString('connection') ?? $default;

            if ($table !== $model->getTable()) {
                throw InvalidConfig::notAllowed(
                    "spool.buckets.{$bucket}.table",
                    $table,
                    "'{$model->getTable()}', the table of ".$model::class
                        .', whose models go to this bucket; or give the class another $bucket',
                );
            }

            if ($goesTo !== $connection) {
                throw InvalidConfig::notAllowed(
                    "spool.buckets.{$bucket}.connection",
                    $goesTo,
                    "'{$connection}', the connection of ".$model::class
                        .', whose models go to this bucket; or give the class another $bucket',
                );
            }
        }

        self::$checked[$config] = [...self::$checked[$config] ?? [], $key => true];
    }
}
