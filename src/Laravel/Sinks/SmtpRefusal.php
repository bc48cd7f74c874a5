<?php

declare(strict_types=1);

namespace Headroom\Laravel\Sinks;

use Headroom\Support\TerminalText;
use Throwable;

/**
 * Distinguishes a mail that the server rejects for good, because of its recipient or content, from an unusable mail
 * server, for which no mail may become a dead letter. It refers to Symfony Mailer's classes by name, because an
 * application may not have them.
 *
 * @internal
 */
final readonly class SmtpRefusal
{
    private const EXCEPTION = 'Symfony\Component\Mailer\Exception\TransportExceptionInterface';

    /** @return ?string the reason; null if the mail may be accepted later, or if something else failed */
    public static function reason(Throwable $failure): ?string
    {
        for ($cause = $failure; $cause !== null; $cause = $cause->getPrevious()) {
            $code = $cause->getCode();

            if (
                is_a($cause, self::EXCEPTION)
                && is_int($code)
                && $code >= 500
                && $code <= 599
                && self::isOfThisMail($cause)
            ) {
                // Servers repeat the address, which must not get into a log.
                return TerminalText::line(
                    (string) preg_replace(
                        '/[^\s<>"]+@[^\s<>"]+/',
                        '(address)',
                        "The mail server refused it: {$cause->getMessage()}",
                    ),
                );
            }
        }

        return null;
    }

    /**
     * Servers also answer a wrong password or sender with 5xx (RFC 5321, 4.2.3), and then they accept no mail at all.
     */
    private static function isOfThisMail(Throwable $failure): bool
    {
        // Symfony's message names the expected codes; only RCPT TO has these.
        if (str_contains($failure->getMessage(), 'Expected response code "250/251/252"')) {
            return true;
        }

        $dialogue = method_exists($failure, 'getDebug') ? $failure->getDebug() : '';
        preg_match_all('/^(?:\[[^\]]*\] )?> (.*)$/m', is_string($dialogue) ? $dialogue : '', $commands);

        // The text of a mail ends with a line that contains only a dot.
        return trim($commands[1][count($commands[1]) - 1] ?? '') === '.';
    }
}
