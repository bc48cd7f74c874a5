<?php

declare(strict_types=1);

namespace Headroom\Bench\Results;

use JsonException;

/**
 * A results file as it lies there: whole JSON, of the experiment that it is said to be of.
 *
 * @internal
 */
final readonly class ResultsText
{
    /** @throws UnableToReadResults */
    public static function read(string $file, string $experiment): Piece
    {
        $origin = new Origin($file, $experiment, str_ends_with($file, '-quick.json'));
        $text = is_file($file) ? @file_get_contents($file) : throw UnableToReadResults::notThere($origin);

        return self::of($text === false ? throw UnableToReadResults::closed($origin) : $text, $file, $experiment);
    }

    /** @throws UnableToReadResults */
    public static function of(string $text, string $file, string $experiment): Piece
    {
        $origin = new Origin($file, $experiment, str_ends_with($file, '-quick.json'));

        try {
            $results = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException $failure) {
            throw UnableToReadResults::notOurs($origin, "it is no JSON ({$failure->getMessage()}), or half of one");
        }

        if (! is_array($results) || ($results['experiment'] ?? null) !== $experiment) {
            throw UnableToReadResults::notOurs(
                $origin,
                is_array($results)
                    ? 'its experiment is '.Seen::words($results['experiment'] ?? null)
                        .", where '{$experiment}' is wanted"
                    : 'it is '.Seen::words($results),
            );
        }

        return Piece::of($results, $origin->quick(($results['quick'] ?? false) === true));
    }
}
