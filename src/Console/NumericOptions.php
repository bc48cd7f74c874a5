<?php

declare(strict_types=1);

namespace Headroom\Console;

use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;

/**
 * Reads options that are numbers.
 *
 * @internal
 */
final readonly class NumericOptions
{
    /** Still fits an int after multiplication by the largest unit. */
    private const MOST = 999_999_999_999;

    public function __construct(private InputInterface $input) {}

    /** @return ?int<1, max> */
    public function positive(string $option, int $most = self::MOST): ?int
    {
        $number = $this->read($option, 1, $most);

        return $number === null ? null : max(1, $number);
    }

    /** @return ?int<0, max> */
    public function natural(string $option): ?int
    {
        $number = $this->read($option, 0, self::MOST);

        return $number === null ? null : max(0, $number);
    }

    /**
     * @return ?int<0, max> microseconds
     *
     * @throws InvalidOptionException
     */
    public function seconds(string $option): ?int
    {
        $value = $this->input->getOption($option);

        if ($value === null) {
            return null;
        }

        $text = is_scalar($value) ? (string) $value : get_debug_type($value);

        return preg_match('/\A\d{1,9}(?:\.\d{1,6})?\z/', $text) === 1
            ? max(0, (int) round((float) $text * 1_000_000))
            : throw new InvalidOptionException(
                "--{$option} is '{$text}'. It must be a number of seconds, 0 or more, such as 1 or 0.2.",
            );
    }

    /** @throws InvalidOptionException */
    private function read(string $option, int $min, int $max): ?int
    {
        $value = $this->input->getOption($option);

        if ($value === null) {
            return null;
        }

        $text = is_scalar($value) ? (string) $value : get_debug_type($value);

        return preg_match('/\A\d{1,12}\z/', $text) === 1 && (int) $text >= $min && (int) $text <= $max
            ? (int) $text
            : throw new InvalidOptionException(
                "--{$option} is '{$text}'. It must be a whole number from {$min} to {$max}.",
            );
    }
}
