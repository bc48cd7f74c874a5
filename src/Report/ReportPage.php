<?php

declare(strict_types=1);

namespace Headroom\Report;

use Headroom\Support\TerminalText;

/**
 * A report that is one file: resources/dist/report.html with its script, its style and the numbers in it. It opens
 * without a network and loads nothing.
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

        // In one pass, so a placeholder inside the data is not replaced.
        return strtr(self::asset('report.html'), [
            '{title}' => self::text(TerminalText::line($title)),
            // The licences require that a copy comes with the code.
            '{licences}' => self::text(self::asset('LICENSES.txt')),
            '{script.hash}' => self::hash($script),
            '{style.hash}' => self::hash($style),
            '{style}' => $style,
            '{script}' => $script,
            // Without < and & the data cannot close its script element.
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

    /** For the Content-Security-Policy of the page: no other script or style is applied. */
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
