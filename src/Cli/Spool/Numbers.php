<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;

/**
 * Options that are numbers.
 *
 * @internal
 */
final readonly class Numbers
{
    public function __construct(private InputInterface $input) {}

    /** @return ?int<1, max> */
    public function positive(string $option): ?int
    {
        $number = $this->natural($option);

        return $number === 0 ? throw $this->refused($option, '0', 'above 0') : $number;
    }

    /** @return ?int<0, max> */
    public function natural(string $option): ?int
    {
        $value = $this->input->getOption($option);

        if ($value === null) {
            return null;
        }

        $text = is_scalar($value) ? (string) $value : get_debug_type($value);

        return preg_match('/\A\d{1,12}\z/', $text) === 1 ? max(0, (int) $text) : throw $this->refused($option, $text, 'from 0');
    }

    private function refused(string $option, string $seen, string $range): InvalidOptionException
    {
        return new InvalidOptionException("--{$option} is '{$seen}'. It must be a whole number {$range}.");
    }
}
