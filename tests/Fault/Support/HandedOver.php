<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Spool\Compat\CallbackBuffer;

/**
 * A callback as the application of a fault test has it: it notes what it was handed, and then does as it is told.
 */
final readonly class HandedOver
{
    public function __construct(private World $world, private FaultPoint $faultPoint) {}

    /** @return array<string, mixed> */
    public function flush(string $bucket, string $end): array
    {
        $answer = (new CallbackBuffer($this->world->runtime()))->flush(
            function (string $file, ?string $bucket, string $delivery) use ($end): bool {
                $ids = array_map(static function (string|false $line): string {
                    /** @var array{payload: array{id: string, body: string}} $row */
                    $row = unserialize((string) $line, ['allowed_classes' => false]);

                    return Event::idOf($row['payload']['id'], $row['payload']['body']);
                }, (array) file($file, FILE_IGNORE_NEW_LINES));
                file_put_contents(
                    "{$this->world->directory}/handed",
                    json_encode([$delivery, $file, $ids])."\n",
                    FILE_APPEND,
                );
                $this->faultPoint->reached('callback.handed');

                match ($end) {
                    'exit' => exit(0),
                    'delete' => unlink($file),
                    'modify' => file_put_contents($file, 'something else'),
                    default => null,
                };

                return $end !== 'refuse';
            },
            $bucket,
        );

        return ['answer' => $answer];
    }

    /** @return list<array{string, string, list<string>}> delivery, file and ids of each call */
    public static function handed(World $world): array
    {
        $lines = is_file("{$world->directory}/handed") ? file("{$world->directory}/handed", FILE_IGNORE_NEW_LINES) : [];

        /** @var list<array{string, string, list<string>}> $calls */
        $calls = array_map(static fn (string $line): mixed => json_decode($line, true), $lines === false ? [] : $lines);

        return $calls;
    }
}
