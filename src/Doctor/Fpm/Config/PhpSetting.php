<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

/**
 * One value of PHP-FPM's configuration, from a file or from php-fpm -tt.
 *
 * @internal
 */
final readonly class PhpSetting
{
    // php-fpm -tt prints this for a string that is not set.
    private const NOT_SET = 'undefined';

    private const SECONDS = ['s' => 1, 'm' => 60, 'h' => 3_600, 'd' => 86_400];

    private const TRUE = ['yes', 'on', 'true'];

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

    /**
     * As fpm_conf.c has it: the last character is the unit, and atoi(3) reads the text before it. `500ms` is 500
     * seconds, `0.5` is 0.
     *
     * @return ?int null for a text with which PHP-FPM does not start
     */
    public function seconds(): ?int
    {
        $last = substr($this->value, -1);

        return match (true) {
            isset(self::SECONDS[$last]) => self::int(self::SECONDS[$last] * self::atoi(substr($this->value, 0, -1))),
            ctype_digit($last) => self::atoi($this->value),
            default => null,
        };
    }

    /** As zend_ini_parse_bool() has it. */
    public function truth(): bool
    {
        return in_array(strtolower($this->value), self::TRUE, true) || self::atoi($this->value) !== 0;
    }

    /** As PHP reads memory_limit: `1.5G` is 1 GiB. */
    public function bytes(): ?int
    {
        return $this->isSet() ? @ini_parse_quantity($this->value) : null;
    }

    private static function atoi(string $text): int
    {
        // PHP's cast would read 1e3 as 1,000. Both stop at the largest long.
        return preg_match('/\A[ \t\n\v\f\r]*([+-]?\d+)/', $text, $m) === 1 ? self::int((int) $m[1]) : 0;
    }

    /** The value after a conversion to a C int. */
    private static function int(int $number): int
    {
        $bits = $number & 0xFFFF_FFFF;

        return $bits < 0x8000_0000 ? $bits : $bits - 0x1_0000_0000;
    }
}
