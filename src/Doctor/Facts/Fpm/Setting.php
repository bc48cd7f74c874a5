<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

/**
 * One value of PHP-FPM's configuration, as it was written or as php-fpm -tt prints it.
 *
 * @internal
 */
final readonly class Setting
{
    // What php-fpm -tt prints for a string nobody set.
    private const NOT_SET = 'undefined';

    private const SECONDS = ['' => 1, 's' => 1, 'm' => 60, 'h' => 3_600, 'd' => 86_400];

    private const TRUE = ['1', 'yes', 'on', 'true'];

    private const FALSE = ['', '0', 'no', 'off', 'false', 'none'];

    /** @param string $origin file:line, or the command that printed it */
    public function __construct(public string $name, public string $value, public string $origin) {}

    public function from(string $origin): self
    {
        return new self($this->name, $this->value, $origin);
    }

    public function isSet(): bool
    {
        return $this->value !== self::NOT_SET && $this->value !== '';
    }

    public function integer(): ?int
    {
        // 18 digits always fit.
        return preg_match('/\A-?\d{1,18}\z/', $this->value) === 1 ? (int) $this->value : null;
    }

    /** FPM's units: s, m, h, d; without one it is seconds. */
    public function seconds(): ?int
    {
        return preg_match('/\A(\d{1,12})([smhd]?)\z/', $this->value, $m) === 1 ? (int) $m[1] * self::SECONDS[$m[2]] : null;
    }

    public function truth(): ?bool
    {
        $word = strtolower($this->value);

        return match (true) {
            in_array($word, self::TRUE, true) => true,
            in_array($word, self::FALSE, true) => false,
            default => null,
        };
    }

    /** ini's units: k, m, g are powers of 1024; -1 is no limit. */
    public function bytes(): ?int
    {
        if (preg_match('/\A(-?\d{1,9})\s*([kmg]?)\z/i', trim($this->value), $m) !== 1) {
            return $this->integer();
        }

        return (int) $m[1] * match (strtolower($m[2])) {
            'k' => 1_024,
            'm' => 1_048_576,
            'g' => 1_073_741_824,
            default => 1,
        };
    }
}
