<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * Reads frames. Most stand in a log again and again, or differ by the line only, and what is known of them is kept, up
 * to a limit.
 *
 * @internal
 */
final class FrameParser
{
    private const MOST = 4_096;

    private const LONGEST_KEPT = 400;

    /** FPM cuts names of functions and of files at 1,023 bytes each. */
    private const LONGEST = 2_200;

    /** @var array<string, Frame> */
    public array $known = [];

    /** @var array<string, CallSite> */
    private array $sites = [];

    /**
     * @param string $text "put() /app/vendor/x/Repository.php:211", what follows the address;
     *     null when it is not such a thing
     */
    public function read(string $text): ?Frame
    {
        $colon = strrpos($text, ':');

        if ($colon === false || $colon > self::LONGEST || ! ctype_digit($line = substr($text, $colon + 1))) {
            return null;
        }

        $key = substr($text, 0, $colon);
        $site = $this->sites[$key] ?? $this->site($key);

        if ($site === null) {
            return null;
        }

        $frame = new Frame($site, (int) $line);

        if ($colon <= self::LONGEST_KEPT) {
            $this->known = count($this->known) < self::MOST ? $this->known : [];
            $this->known[$text] = $frame;
        }

        return $frame;
    }

    private function site(string $text): ?CallSite
    {
        $bracket = strpos($text, '() ');

        if ($bracket === false || $bracket === 0 || strlen($text) === $bracket + 3) {
            return null;
        }

        $site = new CallSite(substr($text, 0, $bracket), substr($text, $bracket + 3));

        if (strlen($text) <= self::LONGEST_KEPT) {
            $this->sites = count($this->sites) < self::MOST ? $this->sites : [];
            $this->sites[$text] = $site;
        }

        return $site;
    }
}
