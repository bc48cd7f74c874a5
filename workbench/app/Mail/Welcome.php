<?php

declare(strict_types=1);

namespace Workbench\App\Mail;

use Illuminate\Mail\Mailable;
use Illuminate\Mail\Mailables\Content;
use Illuminate\Mail\Mailables\Envelope;
use Illuminate\Mail\Mailables\Headers;

final class Welcome extends Mailable
{
    public function __construct(public readonly string $name, private readonly string $eventId) {}

    public function envelope(): Envelope
    {
        return new Envelope(subject: "Welcome, {$this->name}");
    }

    /** The same whenever the same event is handled again: a mail that arrives twice can be told by it. */
    public function headers(): Headers
    {
        return new Headers(messageId: sha1($this->eventId).'@workbench.example');
    }

    public function content(): Content
    {
        return new Content(text: 'mail.welcome');
    }
}
