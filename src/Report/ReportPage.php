<?php

declare(strict_types=1);

namespace Headroom\Report;

use Headroom\Support\TerminalText;

/**
 * A report that is one file: resources/dist/report.html with its script, its style and the numbers in it. It opens
 * without a network and asks nobody for anything.
 *
 * @internal
 */
final readonly class ReportPage
{
    private const DIRECTORY = __DIR__.'/../../resources/dist';

    /** @param array<string, mixed> $data what resources/js/report.js draws: a Page, or the report of a load run */
    public static function html(string $title, array $data): string
    {
        $script = self::asset('report.js');
        $style = self::asset('report.css');

        // All at once, so that nothing that stands in the data is taken for a place to fill.
        return strtr(self::asset('report.html'), [
            '{title}' => self::text(TerminalText::line($title)),
            // Whoever is sent the page has them with it.
            '{licences}' => self::text(self::asset('LICENSES.txt')),
            '{script.hash}' => self::hash($script),
            '{style.hash}' => self::hash($style),
            '{style}' => $style,
            '{script}' => $script,
            // Without < and & there is no way out of the element that the numbers stand in.
            '{data}' => json_encode(
                $data,
                JSON_THROW_ON_ERROR
                    | JSON_HEX_TAG
                    | JSON_HEX_AMP
                    | JSON_UNESCAPED_SLASHES
                    | JSON_INVALID_UTF8_SUBSTITUTE,
            ),
        ]);
    }

    /** For the page's Content-Security-Policy: whatever got into it, only what is ours runs. */
    private static function hash(string $text): string
    {
        return "'sha256-".base64_encode(hash('sha256', $text, true))."'";
    }

    private static function text(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_DISALLOWED | ENT_HTML5, 'UTF-8');
    }

    private static function asset(string $name): string
    {
        return (string) file_get_contents(self::DIRECTORY."/{$name}");
    }
}
