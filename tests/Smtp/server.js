'use strict';

/*
 * An SMTP server for tests, on a port of 127.0.0.1. Told what to do by files in its directory:
 *
 *   down            it greets with 421
 *   no-sender       it refuses every sender with 550
 *   hold            it does not answer for the mail it has taken, until that file is gone; file `held` is there meanwhile
 *   one             it answers for one mail although it holds them
 *
 * A recipient whose address begins with "bounce" is refused with 550. Each mail that was taken is a line of mails.ndjson.
 *
 * node server.js DIRECTORY [PORT]
 */
const fs = require('node:fs');
const path = require('node:path');
const { SMTPServer } = require('smtp-server');

const [directory, port] = process.argv.slice(2);
const file = (name) => path.join(directory, name);
const refusal = (code, words) => Object.assign(new Error(words), { responseCode: code });
const header = (text, name) => new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1].trim() ?? null;

const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) => done(fs.existsSync(file('down')) ? refusal(421, 'Come back later') : null),
    onMailFrom: (address, session, done) => done(fs.existsSync(file('no-sender')) ? refusal(550, `Sender <${address.address}> is not welcome`) : null),
    onRcptTo: (address, session, done) => done(address.address.startsWith('bounce') ? refusal(550, `No such user <${address.address}>`) : null),
    onData: (stream, session, done) => {
        const chunks = [];
        stream.on('data', (chunk) => chunks.push(chunk));
        stream.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const mail = { to: session.envelope.rcptTo.map((to) => to.address), id: header(text, 'Message-ID'), subject: header(text, 'Subject') };
            fs.appendFileSync(file('mails.ndjson'), `${JSON.stringify(mail)}\n`);
            const answer = () => {
                if (fs.existsSync(file('hold')) && !fs.existsSync(file('one'))) {
                    fs.writeFileSync(file('held'), '');
                    setTimeout(answer, 10);
                } else {
                    fs.rmSync(file('held'), { force: true });
                    fs.rmSync(file('one'), { force: true });
                    done();
                }
            };
            answer();
        });
    },
});

server.on('error', (error) => {
    // A client that was killed.
    if (error.code === 'EADDRINUSE') {
        process.stderr.write(`${error.message}\n`);
        process.exit(1);
    }
});
server.listen(Number(port ?? 0), '127.0.0.1', () => process.stdout.write(`ready ${server.server.address().port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
